import Cairn
import Foundation

/// Reads back the data that a save stored, so that no contender can win by not storing it.
enum Proof {
    /// Returns the checksum of all items in a closed store, in the order of their numbers.
    ///
    /// A SQLite store is read with SQLite's own library, and other stores with a new stack.
    ///
    /// - Throws: ``BaselineFailure`` or `GraphError`.
    static func checksum(of url: URL, _ engine: StoreType) throws -> UInt64 {
        if engine == .sqlite { return try SQLiteBaseline.prove(url) }
        let stack = try Stack(engine, at: url)
        let checksum = try stack.inContext { (context) -> UInt64 in try Self.checksum(in: context) }
        try stack.close()
        return checksum
    }

    /// Returns the checksum of all items that a context sees.
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
    /// Whether the engine is built into Cairn.
    var isBuiltIn: Bool { Settings.engines.contains(rawValue) }

    /// Whether the engine's stores are files or folders, which can be copied.
    var isFile: Bool { capabilities?.isDurable ?? false }

    /// Whether each save writes the whole store.
    var isWholeFile: Bool { capabilities?.rewritesWholeFile ?? false }

    /// The capabilities of the engine, or `nil` if no engine of this type is registered.
    var capabilities: StoreCapabilities? {
        try? StoreRegistry.builtIn.engine(ofType: self).capabilities
    }

    /// The kind of failure that an acknowledged save survives in the rows.
    var durability: String {
        switch self {
        case .sqlite: "power loss (WAL, synchronous FULL)"
        case .lmdb: "power loss (fsync at commit)"
        case .xml, .binary: "power loss (new file, fsync, rename)"
        default: isFile ? "what the engine promises" : "nothing: gone with the process"
        }
    }
}
