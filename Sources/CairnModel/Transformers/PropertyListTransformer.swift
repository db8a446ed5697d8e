import Foundation

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
    ///   `.tooManyValues`; an error that names the transformer's type if the value has another type.
    public func value(from data: Data) throws -> TransformedValue {
        try .converted(ArchivableValue(propertyList: data))
    }
}
