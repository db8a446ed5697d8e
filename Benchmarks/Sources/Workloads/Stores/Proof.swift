import Cairn
import Foundation

/// Reads back what a save has stored, so that no contender can win by not storing it.
enum Proof {
    /// The checksum of all items of a closed store, in the order of their numbers.
    ///
    /// A SQLite store is read with SQLite's own library; the others through a new stack.
    ///
    /// - Throws: ``BaselineFailure``, `GraphError`.
    static func checksum(of url: URL, _ engine: StoreType) throws -> UInt64 {
        if engine == .sqlite { return try SQLiteBaseline.prove(url) }
        let stack = try Stack(engine, at: url)
        let checksum = try stack.inContext { (context) -> UInt64 in try Self.checksum(in: context) }
        try stack.close()
        return checksum
    }

    /// The checksum of all items that a context sees.
    ///
    /// - Throws: `GraphError`.
    static func checksum(in context: ManagedObjectContext) throws -> UInt64 {
        var request = FetchRequest<Item>()
        request.sortDescriptors = [FetchSortDescriptor("number")]
        let items: [Item] = try context.fetch(request)
        var checksum = Checksum(items.lazy.map(\.digest))
        checksum.add(UInt64(items.count))
        return checksum.value
    }
}

extension StoreType {
    /// Whether the engine is one of Cairn's own.
    var isBuiltIn: Bool { Settings.engines.contains(rawValue) }

    /// Whether its stores are files or folders, which can be copied.
    var isFile: Bool { capabilities?.isDurable ?? false }

    /// Whether each save writes the whole store.
    var isWholeFile: Bool { capabilities?.rewritesWholeFile ?? false }

    /// What its engine says of itself. `nil` if no engine of this type is registered.
    private var capabilities: StoreCapabilities? {
        try? StoreRegistry.builtIn.engine(ofType: self).capabilities
    }

    /// What a save that returned survives, as the rows measure it.
    var durability: String {
        switch self {
        case .sqlite: "power loss (WAL, synchronous FULL)"
        case .lmdb: "power loss (fsync at commit)"
        case .xml, .binary: "power loss (new file, fsync, rename)"
        default: isFile ? "what the engine promises" : "nothing: gone with the process"
        }
    }
}
