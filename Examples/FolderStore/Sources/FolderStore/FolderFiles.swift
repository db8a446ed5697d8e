import CairnModel
import CairnStore
import Foundation
import Synchronization

/// What of a store is not in objects' own files.
struct FolderIndex: Sendable, Codable {
    var identifier: String
    var generation: UInt64 = 1
    /// Base 64 of each entity's version hash.
    var hashes: [String: Data]
    var metadataValues: [String: MetadataValue] = [:]
    /// The version of each object that counts, as `"Album/7"`.
    var versions: [String: Int64] = [:]
    var storedPairs: [StoredPair] = []

    struct StoredPair: Sendable, Codable {
        var entity: String, relationship: String, owner: String, member: String
        var memberOrder: Int64?, ownerOrder: Int64?
    }

    var metadata: StoreMetadata {
        StoreMetadata(
            identifier: identifier, type: FolderStore.type,
            entityVersionHashes: hashes.mapValues { VersionHash($0) }, values: metadataValues)
    }
}

/// The files of a store: `store.json`, `keys.json`, and `Album-7.2.json` for version 2 of album 7.
final class FolderFiles: Sendable {
    private let location: StoreLocation
    private let folder: URL
    private let descriptor = Mutex<Int32>(-1)

    init(_ location: StoreLocation) throws(StoreError) {
        guard let url = location.fileURL else {
            throw .unsupported(location, feature: "no folder", advice: "Give it a file URL.")
        }
        self.location = location
        folder = url
    }

    deinit { unlock() }

    var exists: Bool { FileManager.default.fileExists(atPath: folder.path) }

    // MARK: The index and the keys

    func index() throws(StoreError) -> FolderIndex {
        guard exists else { throw .notFound(location) }
        guard let data = try? Data(contentsOf: folder.appending(path: "store.json")) else {
            throw .notAStore(location, expected: FolderStore.type, found: "without a store.json")
        }
        return try decode(FolderIndex.self, data, "store.json")
    }

    func create(_ model: ManagedObjectModel, configuration: String?) throws(StoreError) {
        guard let entities = try? model.entities(forConfiguration: configuration) else { return }
        let hashes = entities.map { ($0.name, $0.versionHash.data) }
        try attempt("create", folder) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        }
        try write(
            FolderIndex(
                identifier: UUID().uuidString, hashes: Dictionary(hashes) { first, _ in first }))
    }

    func write(_ index: FolderIndex) throws(StoreError) { try write(index, "store.json") }

    /// The last key given for each root entity.
    func keys() throws(StoreError) -> [String: Int64] {
        guard let data = try? Data(contentsOf: folder.appending(path: "keys.json")) else {
            return [:]
        }
        return try decode([String: Int64].self, data, "keys.json")
    }

    func write(_ keys: [String: Int64]) throws(StoreError) { try write(keys, "keys.json") }

    // MARK: Objects

    func writeObjects(_ rows: [Row], _ layouts: RowLayouts) throws(StoreError) {
        for row in rows {
            guard let layout = layouts.layout(of: row.entity) else { continue }
            let values = try TextValues(layout).texts(of: row)
            try write(values, fileName("\(layout.entity.name)/\(row.key)", row.version))
        }
    }

    /// Reads the objects that count.
    func load(
        _ index: FolderIndex, _ layouts: RowLayouts, _ store: StoreNumber
    ) throws(StoreError) -> [ObjectID: Row] {
        var rows: [ObjectID: Row] = [:]
        for (name, version) in index.versions {
            let file = fileName(name, version)
            guard let id = ObjectID(text: name, in: layouts.model, store: store),
                let layout = layouts.layout(of: id.entity),
                let data = try? Data(contentsOf: folder.appending(path: file))
            else { throw .corrupt(location, place: file, detail: "the file is not there") }
            let texts = try decode([String: String].self, data, file)
            guard let row = TextValues(layout).row(texts, key: id.key, version, store) else {
                throw .corrupt(location, place: file, detail: "a value is not of its type")
            }
            rows[row.id] = row
        }
        return rows
    }

    /// Removes versions that do not count; what stays behind is ignored.
    func removeObjects(notIn index: FolderIndex) {
        let kept = Set(index.versions.map { fileName($0, $1) } + ["store.json", "keys.json"])
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in found where !kept.contains(name) {
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    private func fileName(_ object: String, _ version: Int64) -> String {
        object.replacing("/", with: "-") + ".\(version).json"
    }

    // MARK: Others

    /// Keeps other handles out, those of other processes too.
    func lock(forReading: Bool) throws(StoreError) {
        let opened = Foundation.open(folder.path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0, flock(opened, (forReading ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
            if opened >= 0 { Foundation.close(opened) }
            throw .locked(location, holder: "another handle")
        }
        descriptor.withLock { $0 = opened }
    }

    func unlock() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { Foundation.close(descriptor) }
            descriptor = -1
        }
    }

    // MARK: JSON

    private func write(_ value: some Encodable, _ name: String) throws(StoreError) {
        try attempt("write", folder.appending(path: name)) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(value).write(to: folder.appending(path: name), options: .atomic)
        }
    }

    private func decode<T: Decodable>(
        _ type: T.Type, _ data: Data, _ name: String
    ) throws(StoreError) -> T {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw .corrupt(location, place: name, detail: "it is not the JSON of a folder store")
        }
    }

    private func attempt(_ operation: String, _ url: URL, _ body: () throws -> Void)
        throws(StoreError)
    {
        do { try body() } catch {
            let code = Int32((error as NSError).code)
            throw .fileFailure(FileFailure(operation: operation, path: url.path, code: code))
        }
    }
}
