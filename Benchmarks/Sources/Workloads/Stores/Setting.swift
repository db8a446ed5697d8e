import BenchmarkKit
import Cairn
import Foundation

/// Where a row is measured: on which engine, with how many objects.
public struct Setting {
    let engine: StoreType
    /// How many items the stores hold.
    public let size: Int
    let shelf: StoreShelf
    /// Whether each save writes the whole store, so that rows make few saves.
    let isWholeFile: Bool

    /// - Parameter isWholeFile: `nil`: as the engine does.
    init(engine: StoreType, size: Int, shelf: StoreShelf, isWholeFile: Bool? = nil) {
        self.engine = engine
        self.size = size
        self.shelf = shelf
        self.isWholeFile = isWholeFile ?? engine.isWholeFile
    }

    /// The engine's type, such as `SQLite`.
    public var engineName: String { engine.rawValue }

    var isSQLite: Bool { engine == .sqlite }

    /// How many folders, and categories, there are.
    var groupCount: Int { ReferenceModel.groupCount(for: size) }

    /// Some of the items' places, from 0, in an order that jumps about, always the same.
    func somePlaces(_ count: Int) -> [Int] {
        var random = Random(seed: 7)
        return random.places(min(count, size), of: size)
    }

    /// The store with all items; not to be changed.
    ///
    /// - Precondition: the engine's stores are files.
    func itemsURL() throws -> URL { try shelf.store(engine, .items, size: size) }

    /// A stack on the store with all items; not to be changed.
    func items() throws -> Stack {
        guard engine.isFile else { return try shelf.memoryStack(.items, size: size) }
        return try Stack(engine, at: try itemsURL())
    }

    /// Changes a store of its own, and reads back what it then holds: that is the checksum.
    ///
    /// - Parameter options: of the store.
    func changing(
        _ contents: StoreShelf.Contents, options: StoreOptions = [:],
        _ body: (Stack) throws -> Sample
    ) throws -> Sample {
        guard engine.isFile else {
            let stack = try shelf.newMemoryStack(contents, size: size)
            var sample = try body(stack)
            sample.checksum = try stack.inContext { try Proof.checksum(in: $0) }
            return sample
        }
        let copy = try shelf.fresh(copying: try shelf.store(engine, contents, size: size))
        defer { shelf.discard(copy) }
        let stack = try Stack(engine, at: copy, options: options)
        var sample = try body(stack)
        try stack.close()
        sample.checksum = try Proof.checksum(of: copy, engine)
        sample.fileBytes = shelf.byteCount(of: copy)
        return sample
    }

    /// The same with GRDB.
    func changingGRDB(
        _ contents: StoreShelf.Contents, _ body: (GRDBPeer) throws -> Sample
    ) throws -> Sample {
        let copy = try shelf.fresh(copying: try shelf.grdb(contents, size: size))
        defer { shelf.discard(copy) }
        let peer = try GRDBPeer(copy)
        var sample = try body(peer)
        try peer.pool.close()
        sample.checksum = try SQLiteBaseline.prove(copy, GRDBPeer.proof)
        sample.fileBytes = shelf.byteCount(of: copy)
        return sample
    }

    /// GRDB's database with all items; not to be changed.
    func grdbItems() throws -> GRDBPeer { try GRDBPeer(try shelf.grdb(.items, size: size)) }
}

/// Makes settings, which share the stores that rows start from.
public final class Settings {
    /// The engines that can be measured, the ones most used first.
    public static let engines = ["SQLite", "LMDB", "Binary", "XML", "InMemory"]

    private let shelf: StoreShelf

    /// - Parameter folder: where stores are made; nil: the system's folder for temporary files.
    /// - Throws: where nothing can be made there.
    public init(folder: URL? = nil) throws {
        shelf = try StoreShelf(below: folder ?? FileManager.default.temporaryDirectory)
    }

    /// Returns the setting for an engine and a size.
    ///
    /// - Parameter engine: its type, such as `SQLite`.
    public func setting(_ engine: String, size: Int) -> Setting {
        Setting(engine: StoreType(rawValue: engine), size: size, shelf: shelf)
    }
}
