import Baselines
import Cairn
import CairnConformance
import CairnPostgreSQL
import Foundation

/// Stores in schemas of the database that the variable `CAIRN_POSTGRESQL` names.
struct PostgreSQLHarness: StoreHarness {
    var engine: any PersistentStore.Type { PostgreSQLStore.self }
    var worker: WorkerExecutable? { nil }

    /// The address of the database.
    static var database: URL? {
        ProcessInfo.processInfo.environment["CAIRN_POSTGRESQL"].flatMap { URL(string: $0) }
    }

    func location(_ name: String, in folder: URL) -> StoreLocation {
        let store = Self.database?.appending(path: schema(folder) + name.lowercased())
        return store.flatMap(ServiceLocation.init).map(StoreLocation.service) ?? .memory(name)
    }

    func tearDown(for folder: URL) throws {
        guard let database = Self.database else { return }
        _ = bl_postgres_drop(database.absoluteString, schema(folder))
    }

    /// Returns the beginning of the schemas' names, which have at most 63 bytes.
    private func schema(_ folder: URL) -> String { "bench-\(folder.lastPathComponent.suffix(12))-" }
}
