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
                unit: "object", durability: setting.engine.durability, [ours])
        ])
    }
}

extension Setting {
    /// Returns the URL of a closed store with a chain, which is created once for each engine and size. The caller
    /// must not change the store.
    ///
    /// - Throws: `GraphError`.
    package func chainURL() throws -> URL {
        try shelf.template(Chain.name(self), of: engine) { try Chain.create(self, at: $0).close() }
    }
}

/// A store that contains one chain of links.
private struct Chain: Sendable {
    private let stack: MeasuredStack
    /// The first link, which leads to all others.
    let first: ObjectID

    /// Passes a new store with a chain to the body.
    static func changing(_ setting: Setting, _ body: (Chain) throws -> Sample) throws -> Sample {
        guard setting.engine.isDurable else { return try body(create(setting, at: nil)) }
        let store = try setting.shelf.newStore(name(setting), of: setting.engine) { url in
            try create(setting, at: url).close()
        }
        defer { setting.shelf.discard(store) }
        let chain = try Chain(setting, at: store)
        let sample = try body(chain)
        try chain.close()
        return sample
    }

    static func name(_ setting: Setting) -> String {
        "\(setting.engineName)-chain-\(setting.size)"
    }

    /// Opens a store with a chain.
    init(_ setting: Setting, at url: URL) throws {
        let stack = try Self.open(setting, at: url)
        let first = try stack.inContext { context in
            let request = try FetchRequest<ManagedObject>("Link", where: "previous == NULL")
            guard let id = try context.fetchIDs(request).first else { throw ChainMissing() }
            return id
        }
        self.init(stack: stack, first: first)
    }

    /// Creates a store with a chain as long as the setting's size.
    static func create(_ setting: Setting, at url: URL?) throws -> Chain {
        let stack = try open(setting, at: url)
        let length = setting.size
        let first = try stack.inContext { context in
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
        return Chain(stack: stack, first: first)
    }

    private init(stack: MeasuredStack, first: ObjectID) {
        self.stack = stack
        self.first = first
    }

    private static func open(_ setting: Setting, at url: URL?) throws -> MeasuredStack {
        let link = EntityDescription(
            "Link",
            [
                .attribute("number", .integer64),
                .toOne("next", "Link", inverse: "previous", deleteRule: .cascade),
                .toOne("previous", "Link", inverse: "next"),
            ])
        return try setting.shelf.open(
            setting.engine, at: url, model: try ManagedObjectModel([link]))
    }

    func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try stack.inContext(body)
    }

    func close() throws { try stack.close() }

    private struct ChainMissing: Error, CustomStringConvertible {
        var description: String { "the store holds no chain: nothing can be deleted" }
    }
}
