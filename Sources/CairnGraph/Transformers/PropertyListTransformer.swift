import CairnModel
import Foundation

/// Reads and writes property lists in the binary form: `PropertyListSerialization`'s bytes, without the
/// classes of an archive.
///
/// A program registers it under the name that its model gives, with the type of the attribute's values:
/// `PropertyListTransformer<[String: Double]>()`, or ``CairnModel/ArchivableValue`` for any of them.
public struct PropertyListTransformer<TransformedValue: ArchiveConvertible>: ValueTransformer {
    /// Makes a transformer of the type.
    public init() {}

    /// Returns a binary property list. Equal values have equal property lists.
    ///
    /// - Throws: `ArchiveError`: `.unsupportedValue` for what a property list cannot hold, `.tooDeep`.
    public func data(from value: TransformedValue) throws -> Data {
        try value.archivable.propertyList()
    }

    /// Returns what a binary property list holds.
    ///
    /// - Throws: `ArchiveError`: `.damaged`, also for the XML form, `.wrongValue`, `.cyclic`, `.tooDeep`,
    ///   `.tooManyValues`; `UnexpectedValue` for a value of another type than the transformer's.
    public func value(from data: Data) throws -> TransformedValue {
        try .converted(ArchivableValue(propertyList: data))
    }
}
