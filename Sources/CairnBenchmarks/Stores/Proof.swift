import Cairn

/// Reads back the data that a save stored, so that no contender can win by not storing it.
enum Proof {
    /// Returns the checksum of all items that a context sees.
    ///
    /// - Throws: `GraphError`.
    static func checksum(in context: ManagedObjectContext) throws -> UInt64 {
        var request = FetchRequest<Item>()
        request.sortDescriptors = [FetchSortDescriptor("number")]
        let items: [Item] = try context.fetch(request)
        var checksum = RowChecksum(items.lazy.map(\.digest))
        checksum.add(UInt64(items.count))
        return checksum.value
    }
}

extension StoreType {
    /// Cairn's own engines, starting with the most used.
    package static let builtIn: [StoreType] = [.sqlite, .lmdb, .binary, .xml, .inMemory]

    /// Whether the engine is built into Cairn.
    package var isBuiltIn: Bool { Self.builtIn.contains(self) }

    /// Whether the engine's stores outlive the process.
    var isDurable: Bool { capabilities?.isDurable ?? false }

    /// Whether the engine's stores are files or folders, which can be copied.
    package var isFile: Bool {
        (try? StoreRegistry.builtIn.engine(ofType: self)) is any FileStore.Type
    }

    /// Whether each save writes the whole store.
    var isWholeFile: Bool { capabilities?.rewritesWholeFile ?? false }

    /// The capabilities of the engine, or `nil` if no engine of this type is registered.
    var capabilities: StoreCapabilities? {
        try? StoreRegistry.builtIn.engine(ofType: self).capabilities
    }

    /// The kind of failure that an acknowledged save survives in the rows.
    package var durability: String {
        switch self {
        case .sqlite: "power loss (WAL, synchronous FULL)"
        case .lmdb: "power loss (fsync at commit)"
        case .xml, .binary: "power loss (new file, fsync, rename)"
        default: isDurable ? "what the engine promises" : "nothing: gone with the process"
        }
    }
}
