import CairnModel
import Synchronization

/// Reads and writes models in the form to which Core Data's tools compile them. This form is the content of
/// a `.mom` file and, after decompression, of a store's `Z_MODELCACHE` (see `ModelCache`).
///
/// docs/formats/model-archive.md lists the classes and keys.
public enum ModelArchive {
    /// Reads an archived model.
    ///
    /// Values that are not needed for storing objects never cause an error. For example, user info of an
    /// unsupported type or a default value that cannot be represented is left out, and a predicate outside of
    /// our grammar is kept as unreadable text. The description is not checked; compiling it to a
    /// ``CairnModel/ManagedObjectModel`` does that.
    ///
    /// - Throws: `.damaged` if the bytes are inconsistent, `.unexpectedRoot` if they contain something else, or
    ///   `.wrongValue` if an entity or property lacks a required value.
    public static func decode(_ bytes: [UInt8]) throws(ModelArchiveError) -> ModelDescription {
        try ModelDecoder(KeyedArchive(bytes)).decode()
    }

    /// Returns the content of a `.mom` file for a model.
    ///
    /// Reading the content gives the same description, and therefore the same version hashes. The class names
    /// and keys are those of Core Data. Values that Core Data's archives cannot represent are stored under
    /// keys that Core Data ignores.
    public static func encode(_ model: ManagedObjectModel) -> [UInt8] {
        var encoder = ModelEncoder(model, form: .file)
        return encoder.encode()
    }
}

/// The reason that bytes could not be read as an archived model.
public typealias ModelArchiveError = ArchiveError

extension ModelArchiveError {
    /// Creates an error for an archive that could not be decompressed.
    init(_ error: DeflateError) {
        switch error {
        case .damaged(let offset, let detail):
            self = .damagedCompression(offset: offset, detail: detail)
        case .tooLarge(let limit): self = .tooLarge(limit: limit)
        }
    }
}

/// Reads and writes models in the form that stores contain in `Z_MODELCACHE.Z_CONTENT`: an archived model,
/// compressed with raw deflate.
package enum ModelCache {
    /// The maximum size of the decompressed archive in bytes. The largest known model has 60 kB.
    package static let byteCountLimit = 64 << 20

    /// Reads the model from the content of a store's model cache.
    ///
    /// - Throws: `.damagedCompression`, `.tooLarge`, or the errors of ``ModelArchive/decode(_:)``:
    ///   `.damaged`, `.unexpectedRoot` or `.wrongValue`.
    package static func decode(_ bytes: [UInt8]) throws(ModelArchiveError) -> ModelDescription {
        try ModelArchive.decode(unpack(bytes))
    }

    private static func unpack(_ bytes: [UInt8]) throws(ModelArchiveError) -> [UInt8] {
        do {
            return try Inflater.inflate(bytes, limit: byteCountLimit)
        } catch {
            throw ModelArchiveError(error)
        }
    }

    /// Returns the content of a store's model cache, in the form that Core Data writes. Reading it gives the
    /// same description.
    package static func encode(_ model: ManagedObjectModel) -> [UInt8] {
        if let known = last.withLock({ $0.model === model ? $0.content : nil }) { return known }
        var encoder = ModelEncoder(model, form: .cache)
        let content = Deflater.deflate(encoder.encode())
        last.withLock { $0 = Encoded(model: model, content: content) }
        return content
    }

    /// The model that was encoded last. Programs often make several stores of one model.
    private static let last = Mutex(Encoded(model: nil, content: []))

    private struct Encoded {
        weak var model: ManagedObjectModel?
        let content: [UInt8]
    }
}
