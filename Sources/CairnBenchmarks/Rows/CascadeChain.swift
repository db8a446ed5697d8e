import BenchmarkKit
import Cairn
import Foundation

/// Deletion that cascades from object to object.
struct CascadeChain: Workload {
    let name = "cascade-chain"
    let title = "delete a chain of objects by one cascade"
    let about = About(
        goal: "each object costs as much, however long the chain",
        heldFixed: """
            a chain as long as the row's size, each object leading to the next by a to-one with a \
            cascade; no row cached; versions are checked; one transaction; nothing is left
            """,
        varied: """
            C reads where each row leads and deletes it; Cairn deletes the first object, applies the \
            delete rules, validates and saves
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let size = setting.size
        let ours = Contender("Cairn", .ours) {
            try Chain.changing(setting) { chain in
                try chain.inContext { context in
                    let first = try context.object(with: chain.first)
                    var watch = Stopwatch()
                    try watch.time {
                        try context.delete(first)
                        try context.save()
                    }
                    let left = try context.count(for: FetchRequest<ManagedObject>("Link"))
                    return Sample(watch, operations: size, checksum: UInt64(size - left))
                }
            }
        }
        return .contests([
            Contest(
                unit: "object", durability: setting.engine.durability,
                Self.baseline(setting) + [ours])
        ])
    }

    private static func baseline(_ setting: Setting) -> [Contender] {
        guard setting.isSQLite else { return [] }
        return [
            Contender("C: next, delete", .baseline) {
                let copy = try setting.shelf.fresh(copying: try Chain.file(setting))
                defer { setting.shelf.discard(copy) }
                let baseline = try SQLiteBaseline(copy, writable: true)
                var watch = Stopwatch()
                let count = try watch.time { try baseline.deleteChain(from: 1) }
                return Sample(watch, operations: count, checksum: UInt64(count))
            }
        ]
    }
}

/// A store that contains one chain of links.
private struct Chain: Sendable {
    private let container: PersistentContainer
    /// The first link, which leads to all others.
    private(set) var first: ObjectID

    /// Passes a new store with a chain to the body.
    static func changing(
        _ setting: Setting, _ body: (Chain) throws -> Sample
    ) throws -> Sample {
        guard setting.engine.isFile else {
            return try body(Chain(.inMemory, at: nil, length: setting.size))
        }
        let copy = try setting.shelf.fresh(copying: try file(setting))
        defer { setting.shelf.discard(copy) }
        let chain = try Chain(setting.engine, at: copy)
        let sample = try body(chain)
        try chain.close()
        return sample
    }

    /// Returns the URL of a closed store, which is created once for each engine and size. The caller must not
    /// change the store.
    static func file(_ setting: Setting) throws -> URL {
        let name = "\(setting.engineName)-chain-\(setting.size)"
        return try setting.shelf.template(name) { url in
            try Chain(setting.engine, at: url, length: setting.size).close()
        }
    }

    /// Opens a store with a chain.
    init(_ engine: StoreType, at url: URL?) throws {
        container = try Self.open(engine, at: url)
        first = try container.newBackgroundContext().performAndWait { context in
            let request = try FetchRequest<ManagedObject>("Link", where: "previous == NULL")
            guard let id = try context.fetchIDs(request).first else { throw ChainMissing() }
            return id
        }
    }

    /// Creates a store with a chain.
    init(_ engine: StoreType, at url: URL?, length: Int) throws {
        container = try Self.open(engine, at: url)
        first = try container.newBackgroundContext().performAndWait { context in
            let first = try context.insertNewObject(forEntityName: "Link")
            var last = first
            for _ in 1..<length {
                let link = try context.insertNewObject(forEntityName: "Link")
                try last.setValue(link, forKey: "next")
                last = link
            }
            try context.save()
            return first.objectID
        }
    }

    private static func open(_ engine: StoreType, at url: URL?) throws -> PersistentContainer {
        let link = EntityDescription(
            "Link",
            [
                .attribute("number", .integer64),
                .toOne("next", "Link", inverse: "previous", deleteRule: .cascade),
                .toOne("previous", "Link", inverse: "next"),
            ])
        let container = PersistentContainer(
            name: "Chain", managedObjectModel: try ManagedObjectModel([link]))
        try container.persistentStoreCoordinator.addPersistentStore(
            ofType: engine, configurationName: nil, at: url, options: [:])
        return container
    }

    func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try container.newBackgroundContext().performAndWait(body)
    }

    func close() throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private struct ChainMissing: Error, CustomStringConvertible {
        var description: String { "the store holds no chain: nothing can be deleted" }
    }
}
