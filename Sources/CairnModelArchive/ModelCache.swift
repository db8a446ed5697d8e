import CairnModel

/// A model as a store keeps it (`Z_MODELCACHE.Z_CONTENT`): an archived model in raw deflate.
public enum ModelCache {
    /// The most bytes that the unpacked archive may have. The largest seen has 60 kB.
    public static let byteCountLimit = 64 << 20

    /// Reads the model that a store keeps.
    ///
    /// - Throws: `.damagedCompression`, `.tooLarge`; `.damaged`, `.notAModel`, `.wrongValue` as
    ///   ``ModelArchive/decode(_:)``.
    public static func decode(_ bytes: [UInt8]) throws(ModelArchiveError) -> ModelDescription {
        try ModelArchive.decode(unpack(bytes))
    }

    private static func unpack(_ bytes: [UInt8]) throws(ModelArchiveError) -> [UInt8] {
        do throws(DeflateError) {
            return try Inflater.inflate(bytes, limit: byteCountLimit)
        } catch {
            throw ModelArchiveError(error)
        }
    }

    /// Writes a model as a store keeps it: the archive in the form that Core Data's caches have,
    /// compressed. Reading it back gives the same description.
    public static func encode(_ model: ManagedObjectModel) -> [UInt8] {
        var encoder = ModelEncoder(model, form: .cache)
        return Deflater.deflate(encoder.encode())
    }
}
