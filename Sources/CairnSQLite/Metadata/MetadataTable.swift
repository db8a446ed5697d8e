import CairnModel
import CairnStore
import Foundation

/// `Z_METADATA`: the store's identifier, and the property list with its metadata.
struct MetadataTable {
    /// Core Data's metadata keys.
    enum Key {
        static let storeType = "NSStoreType"
        static let hashes = "NSStoreModelVersionHashes"
        static let hashesVersion = "NSStoreModelVersionHashesVersion"
        static let identifiers = "NSStoreModelVersionIdentifiers"
        static let framework = "NSPersistenceFrameworkVersion"
        static let autoVacuum = "_NSAutoVacuumLevel"
        static let digest = "NSStoreModelVersionHashesDigest"
        static let checksum = "NSStoreModelVersionChecksumKey"
    }

    /// The framework version that new stores name as their writer: the one whose layout and keys
    /// Cairn uses (macOS 14).
    static let frameworkVersion: Int64 = 1344

    let connection: SQLiteConnection

    /// Reads the store's metadata.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func read() throws(StoreError) -> StoreMetadata {
        let (identifier, list) = try readEntries()
        var values = list.entries
        var hashes: [String: VersionHash] = [:]
        if case .dictionary(let entries)? = values.removeValue(forKey: Key.hashes) {
            for case (let name, .data(let data)) in entries { hashes[name] = VersionHash(data) }
        }
        var identifiers: [String] = []
        if case .array(let members)? = values.removeValue(forKey: Key.identifiers) {
            for case .string(let text) in members { identifiers.append(text) }
        }
        var framework: Int?
        if case .integer(let version)? = values.removeValue(forKey: Key.framework) {
            framework = Int(version)
        }
        values[Key.storeType] = nil
        return StoreMetadata(
            identifier: identifier, type: SQLiteStore.type, entityVersionHashes: hashes,
            modelVersionIdentifiers: identifiers, frameworkVersion: framework, values: values)
    }

    /// Sets metadata values of the application. Other values stay unchanged.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    func set(_ values: [String: MetadataValue]) throws(StoreError) {
        var (_, list) = try readEntries()
        list.entries.merge(values) { _, new in new }
        try write(list)
    }

    /// Writes the single row of a new store.
    ///
    /// - Throws: `.engineFailure`.
    func create(identifier: String, model: ManagedObjectModel) throws(StoreError) {
        var list = MetadataPropertyList(entries: Self.entries(of: model))
        list.entries[Key.framework] = .integer(Self.frameworkVersion)
        list.entries[Key.autoVacuum] = "2"
        let insert = try connection.statement(
            "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
        try insert.bind(identifier, at: 1)
        try insert.bind(try list.encoded(for: connection.location), at: 2)
        try insert.run()
    }

    /// Records another version of the model. The identifier and all other values stay unchanged.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    func setModel(_ model: ManagedObjectModel) throws(StoreError) {
        var (_, list) = try readEntries()
        list.entries.merge(Self.entries(of: model)) { _, new in new }
        // The layout is that of the named framework version, unless a later version wrote the
        // store.
        var framework = Self.frameworkVersion
        if case .integer(let version)? = list.entries[Key.framework] {
            framework = max(framework, version)
        }
        list.entries[Key.framework] = .integer(framework)
        try write(list)
    }

    /// Returns the metadata entries that describe a model.
    private static func entries(of model: ManagedObjectModel) -> [String: MetadataValue] {
        let hashes = model.entityVersionHashes.mapValues { MetadataValue.data($0.data) }
        return [
            Key.storeType: .string(SQLiteStore.type.rawValue),
            Key.hashes: .dictionary(hashes),
            Key.hashesVersion: 3,
            Key.identifiers: .array(
                model.description.versionIdentifiers.map(MetadataValue.string)),
            Key.digest: .string(model.versionHashesDigest),
            Key.checksum: .string(model.versionChecksum),
        ]
    }

    private func write(_ list: MetadataPropertyList) throws(StoreError) {
        let update = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        try update.bind(try list.encoded(for: connection.location), at: 1)
        try update.run()
    }

    private func readEntries() throws(StoreError) -> (String, MetadataPropertyList) {
        let select = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1")
        defer { select.reset() }
        guard try select.step(), let identifier = select.text(at: 0) else {
            throw .corrupt(
                connection.location, location: "Z_METADATA", detail: "there is no identifier")
        }
        // A store that was created but never saved to may have no property list.
        guard let data = select.data(at: 1), !data.isEmpty else {
            return (identifier.uppercased(), MetadataPropertyList(entries: [:]))
        }
        guard let list = MetadataPropertyList(data) else {
            throw .corrupt(
                connection.location, location: "Z_METADATA.Z_PLIST",
                detail: "it is not a property list")
        }
        return (identifier.uppercased(), list)
    }
}
