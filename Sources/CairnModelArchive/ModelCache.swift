import CairnModel

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
        do throws(DeflateError) {
            return try Inflater.inflate(bytes, limit: byteCountLimit)
        } catch {
            throw ModelArchiveError(error)
        }
    }

    /// Returns the content of a store's model cache, in the form that Core Data writes. Reading it gives the
    /// same description.
    package static func encode(_ model: ManagedObjectModel) -> [UInt8] {
        var encoder = ModelEncoder(model, form: .cache)
        return Deflater.deflate(encoder.encode())
    }
}
