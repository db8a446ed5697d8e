import Foundation

/// A value that the built-in transformers read and write. The cases are everything that an archive or a
/// property list may contain.
///
/// An archive names a class for each of its objects, but reading it looks up no class. An object whose
/// class corresponds to one of these cases becomes that case. Any other object is refused, and the error
/// names its class. Mutable classes become the same cases as immutable ones.
///
/// As for ``Value``, equality and hashing follow the stored form: strings are equal if their bytes are
/// equal, and a number is equal only to a number of the same case.
public enum ArchivableValue: Sendable {
    /// `NSNull`, or an archive whose root is `nil`.
    case null
    /// `NSNumber` with a Boolean.
    case boolean(Bool)
    /// `NSNumber` with an integer.
    case integer(Int64)
    /// `NSNumber` with an integer greater than `Int64.max`. A smaller integer is an ``integer(_:)``.
    case unsigned(UInt64)
    /// `NSNumber` with a floating-point number.
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
    /// `NSOrderedSet`. No member occurs twice.
    indirect case orderedSet([ArchivableValue])
    /// `NSDictionary`. In a property list, all keys are strings.
    indirect case dictionary([ArchivableValue: ArchivableValue])
}

extension ArchivableValue {
    /// The deepest nesting that is read or written. A value outside any container has depth 1.
    package static let depthLimit = 64

    /// The highest number of values that shared members may expand to when an archive is read. The limit
    /// does not apply to archives without shared members.
    package static let sharedValueLimit = 1_000_000

    /// The name of the case, for messages. It never contains the value.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a Boolean"
        case .integer, .unsigned: "an integer"
        case .real: "a floating-point number"
        case .decimal: "a decimal"
        case .string: "a string"
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
    /// Reads a keyed archive that `NSKeyedArchiver` wrote with a root object.
    ///
    /// Takes time and memory proportional to the size of the archive. No class is looked up.
    ///
    /// - Throws: `.damaged`, `.unexpectedRoot` if the bytes are not a keyed archive, `.refusedClass`,
    ///   `.wrongValue`, `.cyclic`, `.tooDeep` or `.tooManyValues`.
    package init(keyedArchive data: Data) throws(ArchiveError) {
        self = try KeyedValueReader.value(of: Array(data))
    }

    /// Returns a keyed archive that `NSKeyedUnarchiver` reads, with or without secure coding.
    ///
    /// Equal values have equal archives.
    ///
    /// - Throws: `.tooDeep`.
    package func keyedArchive() throws(ArchiveError) -> Data {
        Data(try KeyedValueWriter.archive(of: self))
    }

    /// Reads a property list in the binary form.
    ///
    /// - Throws: `.damaged`, including if the property list has the XML form, `.wrongValue`, `.cyclic`,
    ///   `.tooDeep` or `.tooManyValues`.
    package init(propertyList data: Data) throws(ArchiveError) {
        self = try PropertyListValueReader.value(of: Array(data))
    }

    /// Returns a property list in the binary form. Equal values have equal property lists.
    ///
    /// - Throws: `.tooDeep`, or `.unsupportedValue` for values that a property list cannot hold: null,
    ///   decimals, UUIDs, URLs, sets, and dictionaries with keys that are not strings.
    package func propertyList() throws(ArchiveError) -> Data {
        Data(try PropertyListValueWriter.propertyList(of: self))
    }
}

extension ArchivableValue: Hashable {
    /// Returns whether both values are stored as the same bytes. Values of different cases are never equal.
    public static func == (left: ArchivableValue, right: ArchivableValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.unsigned(let a), .unsigned(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.decimal(let a), .decimal(let b)): a == b || a.isNaN && b.isNaN
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.bitPattern
                == b.timeIntervalSinceReferenceDate.bitPattern
        case (.data(let a), .data(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.url(let a), .url(let b)):
            a.absoluteString.utf8.elementsEqual(b.absoluteString.utf8)
        case (.array(let a), .array(let b)), (.orderedSet(let a), .orderedSet(let b)): a == b
        case (.set(let a), .set(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        default: false
        }
    }

    /// Hashes the same parts that `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.bitPattern)
        case .decimal(let value): hasher.combine(value.isNaN ? 0 : value)
        case .string(var value):
            value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .url(let value): hasher.combine(value.absoluteString)
        case .array(let value), .orderedSet(let value): hasher.combine(value)
        case .set(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }
}

extension ArchivableValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates a string from a literal such as `"text"`.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer from a literal such as `1`.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a Boolean from `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates a floating-point number from a literal such as `1.5`.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Creates an array from a literal such as `[1, 2]`.
    public init(arrayLiteral elements: ArchivableValue...) { self = .array(elements) }
    /// Creates a dictionary from a literal such as `["name": "value"]`. If keys are equal, the last one wins.
    public init(dictionaryLiteral elements: (ArchivableValue, ArchivableValue)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}
