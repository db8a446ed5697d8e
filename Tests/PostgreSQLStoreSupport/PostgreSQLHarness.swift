import CairnConformance
import CairnPostgreSQL
import CairnStore
import Foundation

/// A harness whose stores are schemas of the database that the variable `CAIRN_POSTGRESQL` names. `script/postgres up`
/// prints its address.
package struct PostgreSQLHarness: StoreHarness {
    package var engine: any PersistentStore.Type { PostgreSQLStore.self }
    package let worker: WorkerExecutable?

    package init(worker: WorkerExecutable) { self.worker = worker }

    /// The address of the database.
    package static var database: URL? {
        ProcessInfo.processInfo.environment["CAIRN_POSTGRESQL"].flatMap(URL.init)
    }

    /// The address of a store with a name, in a schema that is named after a folder. `nil` without a database.
    package static func address(_ name: String, in folder: URL) -> URL? {
        // The name of a schema has at most 63 bytes, and the folder's takes 46 of them.
        var schema = "\(folder.lastPathComponent)_\(name)"
        if schema.utf8.count > 63 {
            let hash = name.utf8.reduce(UInt64(5381)) { $0 &* 33 &+ UInt64($1) }
            schema = "\(folder.lastPathComponent)_\(String(hash, radix: 36))"
        }
        return database?.appending(path: schema)
    }

    package func location(_ name: String, in folder: URL) -> StoreLocation {
        Self.address(name, in: folder)
            .flatMap(ServiceLocation.init).map(StoreLocation.service) ?? .memory(name)
    }

    package func tearDown(for folder: URL) throws {
        guard let database = Self.database else { return }
        try PostgreSQLStore.removeSchemas(beginningWith: folder.lastPathComponent, from: database)
    }
}
