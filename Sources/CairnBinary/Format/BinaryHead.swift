import CairnAtomicStore
import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The part of a binary file before its rows: lengths, metadata, model and layouts.
struct BinaryHead: AtomicHead {
    /// The format version that this version of Cairn writes. It is the only one so far.
    static let formatVersion: UInt32 = 1
    /// The number of bytes before the record.
    static let fixedByteCount = 48
    /// The offset of the length of the file.
    static let fileLengthOffset = 16
    /// The offset of the length of the head. The head's checksum covers the bytes from this offset.
    static let headLengthOffset = 24
    /// The number of bytes in a checksum.
    static let sealByteCount = 8

    var metadata: StoreMetadata
    /// The names of the entities by the numbers that rows use. The entity with number 1 has index 0.
    var entityNames: [String]
    /// See ``RowLayouts/fingerprint``.
    var layouts: UInt64
    var modelArchive: Data?
    /// The next key of each hierarchy, by the name of its root entity.
    var nextKeys: [String: Int64]
    var generation: UInt64
    /// The number of bytes in the head including its checksum, which is the offset of the rows. 0 if the head
    /// was not read from a file.
    private(set) var byteCount = 0

    private enum Name {
        static let identifier = "identifier"
        static let hashes = "hashes"
        static let versions = "versions"
        static let entities = "entities"
        static let layouts = "layouts"
        static let values = "values"
        static let model = "model"
        static let nextKeys = "next keys"
    }

    // MARK: Reading

    /// Reads the head from the first bytes of a file, or from all of them.
    ///
    /// - Throws: `.unsupported` for a later format version, or `.corrupt`.
    init(_ bytes: [UInt8], at location: StoreLocation) throws(StoreError) {
        let end = try Self.byteCount(bytes, at: location)
        let head = bytes.withUnsafeBytes { bytes -> BinaryHead? in
            var reader = ByteReader(bytes)
            reader.skip(Self.headLengthOffset)
            guard let sealed = reader.take(end - Self.headLengthOffset - Self.sealByteCount),
                let seal = reader.integer(UInt64.self), seal == Checksum.of(sealed)
            else { return nil }
            var content = ByteReader(sealed)
            content.skip(8)
            guard let generation = content.integer(UInt64.self),
                let count = content.integer(UInt64.self).flatMap({ Int(exactly: $0) }),
                let record = content.take(count),
                case .dictionary(let entries)? = MetadataCodec.decode(record)
            else { return nil }
            return BinaryHead(entries, generation: generation)
        }
        guard let head else {
            throw .corrupt(
                location, location: "the head, bytes 0 to \(end)",
                detail: "its checksum is wrong")
        }
        self = head
        byteCount = end
    }

    /// Returns the number of bytes in the head including its checksum.
    ///
    /// - Throws: `.unsupported` for a later format version, or `.corrupt`.
    static func byteCount(
        _ bytes: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> Int {
        let fixed = bytes.withUnsafeBytes { bytes -> (version: UInt32, end: UInt64)? in
            var reader = ByteReader(bytes)
            reader.skip(Self.mark.count)
            guard let version = reader.integer(UInt32.self), reader.integer(UInt32.self) != nil,
                reader.integer(UInt64.self) != nil, let end = reader.integer(UInt64.self)
            else { return nil }
            return (version, end)
        }
        guard let fixed else {
            throw .corrupt(location, location: "the head", detail: "the file was truncated")
        }
        guard fixed.version == formatVersion else {
            throw .unsupported(
                location, feature: "format \(fixed.version)",
                advice: "Open it with a later version of Cairn.")
        }
        guard let end = Int(exactly: fixed.end), end >= fixedByteCount + sealByteCount,
            end <= byteCountLimit
        else {
            throw .corrupt(
                location, location: "bytes 24 to 32", detail: "the length of the head is impossible"
            )
        }
        return end
    }

    /// The first bytes of a binary store. They include a byte that is not ASCII, and a carriage return and a
    /// line feed, which reveal a transfer in text mode (as in the signature of PNG).
    private static let mark: [UInt8] = [0x89, 0x43, 0x41, 0x49, 0x52, 0x4e, 0x0d, 0x0a]

    /// Returns whether a file with these first bytes is a binary store.
    static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: mark) }

    /// The maximum number of bytes in the head. No realistic model and metadata are larger.
    private static let byteCountLimit = 1 << 30

    private init?(_ entries: [String: MetadataValue], generation: UInt64) {
        guard case .string(let identifier)? = entries[Name.identifier],
            case .dictionary(let hashes)? = entries[Name.hashes],
            case .array(let versions)? = entries[Name.versions],
            case .array(let entities)? = entries[Name.entities],
            case .integer(let layouts)? = entries[Name.layouts],
            case .dictionary(let values)? = entries[Name.values],
            case .data(let model)? = entries[Name.model],
            case .dictionary(let nextKeys)? = entries[Name.nextKeys]
        else { return nil }
        let (hashData, versionTexts) = (
            hashes.compactMapValues(\.data), versions.compactMap(\.text)
        )
        let (entityTexts, keys) = (
            entities.compactMap(\.text), nextKeys.compactMapValues(\.integer)
        )
        guard hashData.count == hashes.count, versionTexts.count == versions.count,
            entityTexts.count == entities.count, keys.count == nextKeys.count
        else { return nil }
        metadata = StoreMetadata(
            identifier: identifier, type: BinaryStore.type,
            entityVersionHashes: hashData.mapValues { VersionHash($0) },
            modelVersionIdentifiers: versionTexts, values: values)
        entityNames = entityTexts
        self.layouts = UInt64(bitPattern: layouts)
        modelArchive = model
        self.nextKeys = keys
        self.generation = generation
    }

    // MARK: Writing

    init(_ content: StoreContent) {
        let entities = StoredEntities(content.layouts)
        metadata = content.metadata
        entityNames = entities.names
        layouts = entities.fingerprint
        modelArchive = content.modelArchive
        nextKeys = content.nextKeysByName
        generation = content.generation
    }

    /// Writes the head, with 0 as the length of the file, which the caller fills in later.
    func write(to writer: inout FilePartsWriter) {
        writer.append(Self.mark)
        writer.append(Self.formatVersion)
        writer.append(UInt32(0))
        writer.append(UInt64(0))
        let record = record
        let padded = (record.count + 7) / 8 * 8
        writer.append(UInt64(Self.fixedByteCount + padded + Self.sealByteCount))
        writer.append(generation)
        writer.append(UInt64(record.count))
        writer.append(record)
        writer.pad()
        writer.append(writer.checksum(from: Self.headLengthOffset))
    }

    private var record: [UInt8] {
        MetadataCodec.encode(
            .dictionary([
                Name.identifier: .string(metadata.identifier),
                Name.hashes: .dictionary(
                    metadata.entityVersionHashes.mapValues { .data($0.data) }),
                Name.versions: .array(metadata.modelVersionIdentifiers.map(MetadataValue.string)),
                Name.entities: .array(entityNames.map(MetadataValue.string)),
                Name.layouts: .integer(Int64(bitPattern: layouts)),
                Name.values: .dictionary(metadata.values),
                Name.model: .data(modelArchive ?? Data()),
                Name.nextKeys: .dictionary(nextKeys.mapValues(MetadataValue.integer)),
            ]))
    }
}

extension MetadataValue {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var data: Data? { if case .data(let data) = self { data } else { nil } }
    fileprivate var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }
}

/// The kind of a section of a binary file.
enum SectionKind: UInt32 {
    /// Packed rows of one root entity, sorted by key.
    case rows = 1
    /// The pairs of one many-to-many, sorted by owner, then by member.
    case pairs = 2
    /// The order keys of the members of one ordered one-to-many, sorted by member.
    case order = 3

    /// The number of bytes in a pair.
    static let pairByteCount = 40
    /// The flags of a pair, which say which of its order keys exist.
    static let hasOrderKey: UInt64 = 1
    static let hasInverseOrderKey: UInt64 = 2
    static let allFlags: UInt64 = 3
    /// The number of bytes in an entry of an `order` section: the key of the owner, the key of the member,
    /// and the order key.
    static let orderEntryByteCount = 24
}
