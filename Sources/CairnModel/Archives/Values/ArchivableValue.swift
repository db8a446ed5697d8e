import Foundation

/// A value that the built-in transformers read and write: the closed list of what an archive or a
/// property list may hold.
///
/// An archive names a class for each of its objects. Reading it looks up no class: an object of a class
/// that stands for one of these cases becomes that case, and any other object is refused by its name.
/// Mutable classes become the same cases as immutable ones.
///
/// Equality and hash are those of what is stored, as those of ``Value`` are: texts are equal if their
/// bytes are, and a number is equal only to a number of the same case.
public enum ArchivableValue: Sendable {
    /// `NSNull`, or the nil that an archive was made of.
    case null
    /// `NSNumber`, made of a Boolean.
    case boolean(Bool)
    /// `NSNumber`, made of an integer.
    case integer(Int64)
    /// `NSNumber`, made of an integer beyond `Int64.max`. A smaller one is an ``integer(_:)``.
    case unsigned(UInt64)
    /// `NSNumber`, made of a floating-point number.
    case real(Double)
    /// `NSDecimalNumber`.
    case decimal(Decimal)
    /// `NSString`.
    case string(String)
    /// `NSDate`.
    case date(Date)
    /// `NSData`.
    case data(Data)
    /// `NSUUID`.
    case uuid(UUID)
    /// `NSURL`.
    case url(URL)
    /// `NSArray`.
    indirect case array([ArchivableValue])
    /// `NSSet`.
    indirect case set(Set<ArchivableValue>)
    /// `NSOrderedSet`; no member occurs twice.
    indirect case orderedSet([ArchivableValue])
    /// `NSDictionary`. A property list has texts as keys only.
    indirect case dictionary([ArchivableValue: ArchivableValue])
}

extension ArchivableValue {
    /// The deepest nesting that is read or written. A value that is not in a container has depth 1.
    public static let depthLimit = 64

    /// How many values are read at most because containers share members. An archive without shared
    /// members is read whatever its size.
    public static let sharedValueLimit = 1_000_000

    /// The name of the case, for messages: never the value.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a Boolean"
        case .integer, .unsigned: "an integer"
        case .real: "a floating-point number"
        case .decimal: "a decimal"
        case .string: "a text"
        case .date: "a date"
        case .data: "data"
        case .uuid: "a UUID"
        case .url: "a URL"
        case .array: "an array"
        case .set: "a set"
        case .orderedSet: "an ordered set"
        case .dictionary: "a dictionary"
        }
    }
}

// MARK: Archives

extension ArchivableValue {
    /// Reads a keyed archive, as `NSKeyedArchiver` writes it with a root object.
    ///
    /// Takes time and memory in proportion to the size of the archive. No class is looked up.
    ///
    /// - Throws: `.damaged`, `.notAModel` if the bytes are no keyed archive, `.refusedClass`, `.wrongValue`,
    ///   `.cyclic`, `.tooDeep`, `.tooManyValues`.
    public init(keyedArchive data: Data) throws(ArchiveError) {
        self = try KeyedValueReader.value(of: Array(data))
    }

    /// Returns a keyed archive that `NSKeyedUnarchiver` reads, with secure coding or without.
    ///
    /// Equal values have equal archives.
    ///
    /// - Throws: `.tooDeep`.
    public func keyedArchive() throws(ArchiveError) -> Data {
        Data(try KeyedValueWriter.archive(of: self))
    }

    /// Reads a property list in the binary form.
    ///
    /// - Throws: `.damaged`, also for the XML form; `.wrongValue`, `.cyclic`, `.tooDeep`,
    ///   `.tooManyValues`.
    public init(propertyList data: Data) throws(ArchiveError) {
        self = try PropertyListValueReader.value(of: Array(data))
    }

    /// Returns a property list in the binary form. Equal values have equal property lists.
    ///
    /// - Throws: `.unsupportedValue` for what a property list cannot hold: null, decimals, UUIDs, URLs,
    ///   sets, and dictionaries with keys other than texts; `.tooDeep`.
    public func propertyList() throws(ArchiveError) -> Data {
        Data(try PropertyListValueWriter.propertyList(of: self))
    }
}
