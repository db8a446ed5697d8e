import CairnModel
import Foundation

/// Reads and writes keyed archives, as `NSSecureUnarchiveFromDataTransformer` does.
///
/// What an archive may hold is a closed list, ``CairnModel/ArchivableValue``: no class is looked up or made,
/// whatever an archive names. Nesting and size are bounded.
///
/// Registered under ``ValueTransformerName/secureUnarchiveFromDataTransformerName`` for any value of the
/// list. A program that knows the type of an attribute's values registers a transformer of that type
/// under a name of its own: `SecureUnarchiveFromDataTransformer<[String]>()` takes arrays of texts, and
/// refuses an archive of anything else.
public struct SecureUnarchiveFromDataTransformer<
    TransformedValue: ArchiveConvertible
>: ValueTransformer {
    /// Makes a transformer of the type.
    public init() {}

    /// Returns a keyed archive, which Foundation's secure unarchiver reads. Equal values have equal
    /// archives.
    ///
    /// - Throws: `ArchiveError.tooDeep`.
    public func data(from value: TransformedValue) throws -> Data {
        try value.archivable.keyedArchive()
    }

    /// Returns what a keyed archive holds.
    ///
    /// - Throws: `ArchiveError`: `.refusedClass` for a class that is not on the list, `.damaged`,
    ///   `.notAModel`, `.wrongValue`, `.cyclic`, `.tooDeep`, `.tooManyValues`; `UnexpectedValue` for a value
    ///   of another type than the transformer's.
    public func value(from data: Data) throws -> TransformedValue {
        try .converted(ArchivableValue(keyedArchive: data))
    }
}
