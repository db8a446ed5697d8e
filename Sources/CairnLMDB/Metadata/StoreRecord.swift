import CairnEngineKit
import CairnModel
import CairnModelArchive
import CairnRows
import CairnStore
import Foundation

/// Reads and writes the table with a store's metadata.
struct StoreRecord {
    /// The format that this version writes. No other format exists.
    static let formatVersion: Int64 = 1

    private enum Name {
        static let format = "format"
        static let identifier = "identifier"
        static let hashes = "hashes"
        static let versions = "versions"
        static let entities = "entities"
        static let values = "values"
        static let model = "model"
    }

    let transaction: LMDBTransaction
    let table: LMDBTable

    // MARK: Reading

    /// - Throws: `.unsupported` for a store of a later format; `.corrupt` or `.engineFailure`.
    func checkFormat() throws(StoreError) {
        guard case .integer(let version)? = try value(Name.format), version >= 1 else {
            throw corrupt(Name.format)
        }
        guard version == Self.formatVersion else {
            throw .unsupported(
                transaction.location, feature: "format \(version)",
                advice: "Open it with a later version of Cairn.")
        }
    }

    func metadata() throws(StoreError) -> StoreMetadata {
        guard case .string(let identifier)? = try value(Name.identifier) else {
            throw corrupt(Name.identifier)
        }
        guard case .dictionary(let hashes)? = try value(Name.hashes) else {
            throw corrupt(Name.hashes)
        }
        return StoreMetadata(
            identifier: identifier, type: LMDBStore.type,
            entityVersionHashes: hashes.compactMapValues { value in
                if case .data(let bytes) = value { VersionHash(bytes) } else { nil }
            },
            modelVersionIdentifiers: try texts(Name.versions), values: try values())
    }

    /// Returns the names of the entities by the store's number; number 1 is at index 0.
    func entityNames() throws(StoreError) -> [String] { try texts(Name.entities) }

    /// Returns the model that the store was created with.
    func model() throws(StoreError) -> ModelDescription {
        guard case .data(let bytes)? = try value(Name.model) else { throw corrupt(Name.model) }
        do {
            return try ModelCache.decode(Array(bytes))
        } catch {
            throw .corrupt(
                transaction.location, location: "the model inside, \(error.location)",
                detail: error.detail)
        }
    }

    /// Returns the key for the next new object of a root entity.
    func nextKey(of root: String) throws(StoreError) -> Int64 {
        switch try value(Self.keyName(root)) {
        case nil: return 1
        case .integer(let key)? where key >= 1: return key
        default: throw corrupt(Self.keyName(root))
        }
    }

    // MARK: Writing

    /// Writes the metadata of a new store.
    func create(_ model: ManagedObjectModel, identifier: String) throws(StoreError) {
        try set(.integer(Self.formatVersion), Name.format)
        try set(.string(identifier), Name.identifier)
        try set(.dictionary(model.entityVersionHashes.mapValues { .data($0.data) }), Name.hashes)
        let versions = model.description.versionIdentifiers.sorted()
        try set(.array(versions.map(MetadataValue.string)), Name.versions)
        try set(.array(model.entities.map { .string($0.name) }), Name.entities)
        try set(.dictionary([:]), Name.values)
        try set(.data(Data(ModelCache.encode(model))), Name.model)
    }

    /// Sets metadata values of the application. Other values stay unchanged.
    func merge(_ new: [String: MetadataValue]) throws(StoreError) {
        try set(.dictionary(try values().merging(new) { _, new in new }), Name.values)
    }

    func setNextKey(_ key: Int64, of root: String) throws(StoreError) {
        try set(.integer(key), Self.keyName(root))
    }

    // MARK: Entries

    private static func keyName(_ root: String) -> String { "next key of \(root)" }

    private func values() throws(StoreError) -> [String: MetadataValue] {
        guard case .dictionary(let values)? = try value(Name.values) else {
            throw corrupt(Name.values)
        }
        return values
    }

    private func texts(_ name: String) throws(StoreError) -> [String] {
        guard case .array(let members)? = try value(name) else { throw corrupt(name) }
        return members.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    func value(_ name: String) throws(StoreError) -> MetadataValue? {
        let stored = try Self.bytes(of: name).withRawBytes { key throws(StoreError) in
            try transaction.get(key, in: table)
        }
        guard let stored else { return nil }
        guard let content = Sealed.open(stored), let value = MetadataCodec.decode(content) else {
            throw corrupt(name)
        }
        return value
    }

    func set(_ value: MetadataValue, _ name: String) throws(StoreError) {
        let sealed = Sealed.seal(MetadataCodec.encode(value))
        try Self.bytes(of: name).withRawBytes { key throws(StoreError) in
            try sealed.withRawBytes { bytes throws(StoreError) in
                try transaction.put(bytes, under: key, in: table)
            }
        }
    }

    /// Returns the name as a key, or its hash if the name is too long.
    private static func bytes(of name: String) -> [UInt8] {
        let bytes = Array(name.utf8)
        guard bytes.count > IndexKey.byteCountLimit else { return bytes }
        return Array("#\(String(bytes.withUnsafeBytes(Checksum.of), radix: 16))".utf8)
    }

    func corrupt(_ name: String) -> StoreError {
        .corrupt(
            transaction.location, location: "the entry “\(name)” of the table \(table.name)",
            detail: "the entry is missing, or its checksum is wrong")
    }
}
