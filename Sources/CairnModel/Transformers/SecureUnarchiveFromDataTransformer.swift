import Foundation

/// A transformer that reads and writes keyed archives, as `NSSecureUnarchiveFromDataTransformer` does.
///
/// An archive may contain only the types of a closed list, ``CairnModel/ArchivableValue``. No class is
/// looked up or instantiated, whatever class names an archive contains. Nesting and size are limited.
///
/// This transformer is registered under ``ValueTransformerName/secureUnarchiveFromDataTransformerName``
/// for values of any type on the list. A program that knows the type of an attribute's values can
/// register a transformer of that type under a name of its own. For example,
/// `SecureUnarchiveFromDataTransformer<[String]>()` accepts arrays of strings, and refuses archives of
/// other values.
public struct SecureUnarchiveFromDataTransformer<
    TransformedValue: ArchiveConvertible
>: ValueTransformer {
    /// Creates a transformer for values of the type.
    public init() {}

    /// Returns the value as a keyed archive that Foundation's secure unarchiver can read. Equal values
    /// have equal archives.
    ///
    /// - Throws: `ArchiveError.tooDeep`.
    public func data(from value: TransformedValue) throws -> Data {
        try value.archivable.keyedArchive()
    }

    /// Returns the value of a keyed archive.
    ///
    /// - Throws: `ArchiveError`: `.refusedClass` for a class that is not on the list, `.damaged`,
    ///   `.unexpectedRoot`, `.wrongValue`, `.cyclic`, `.tooDeep`, `.tooManyValues`; an error that
    ///   names the transformer's type if the value has another type.
    public func value(from data: Data) throws -> TransformedValue {
        try .converted(ArchivableValue(keyedArchive: data))
    }
}

/// A transformer that reads and writes binary property lists, as `PropertyListSerialization` does. Unlike
/// archives, property lists contain no classes.
///
/// Register this transformer under the name that the model specifies, with the type of the attribute's
/// values: `PropertyListTransformer<[String: Double]>()`, or with ``CairnModel/ArchivableValue`` for
/// values of any type.
public struct PropertyListTransformer<TransformedValue: ArchiveConvertible>: ValueTransformer {
    /// Creates a transformer for values of the type.
    public init() {}

    /// Returns the value as a binary property list. Equal values have equal property lists.
    ///
    /// - Throws: `ArchiveError`: `.unsupportedValue` for a value that a property list cannot hold,
    ///   `.tooDeep`.
    public func data(from value: TransformedValue) throws -> Data {
        try value.archivable.propertyList()
    }

    /// Returns the value of a binary property list.
    ///
    /// - Throws: `ArchiveError`: `.damaged`, also for the XML form, `.wrongValue`, `.cyclic`, `.tooDeep`,
    ///   `.tooManyValues`; an error that names the transformer's type if the value has another
    ///   type.
    public func value(from data: Data) throws -> TransformedValue {
        try .converted(ArchivableValue(propertyList: data))
    }
}
