import BenchmarkKit
import Cairn
import Foundation

/// The engine and the number of objects with which a row is measured.
public struct Setting {
    let engine: StoreType
    /// The number of items in the stores.
    public let size: Int
    let shelf: StoreTemplates
    /// Whether each save writes the whole store, in which case rows make fewer saves.
    let isWholeFile: Bool

    /// Creates a setting.
    ///
    /// - Parameter isWholeFile: Whether each save writes the whole store. If `nil`, the engine decides.
    init(engine: StoreType, size: Int, shelf: StoreTemplates, isWholeFile: Bool? = nil) {
        self.engine = engine
        self.size = size
        self.shelf = shelf
        self.isWholeFile = isWholeFile ?? engine.isWholeFile
    }

    /// The engine's type, such as `SQLite`.
    public var engineName: String { engine.rawValue }

    var isSQLite: Bool { engine == .sqlite }

    /// The number of folders, and of categories.
    var groupCount: Int { ReferenceModel.groupCount(for: size) }

    /// Returns the indices of some items in random order, which is the same each time.
    func somePlaces(_ count: Int) -> [Int] {
        var random = Random(seed: 7)
        return random.places(min(count, size), of: size)
    }

    /// Returns the store with all items. The caller must not change the store.
    ///
    /// - Precondition: The engine's stores are files.
    func itemsURL() throws -> URL { try shelf.store(engine, .items, size: size) }

    /// Returns a stack with the store of all items. The caller must not change the store.
    func items() throws -> Stack {
        guard engine.isFile else { return try shelf.memoryStack(.items, size: size) }
        return try Stack(engine, at: try itemsURL())
    }

    /// Passes a new store to the body, which changes it. The checksum is that of the store's content, which
    /// is read back.
    ///
    /// - Parameter options: The options of the store.
    func changing(
        _ contents: StoreTemplates.Contents, options: StoreOptions = [:],
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

    /// Returns what the engine declares, and whether its files are text.
    ///
    /// - Throws: An error if a store cannot be created.
    public func facts() throws -> EngineFacts {
        let capabilities = engine.capabilities ?? StoreCapabilities()
        return EngineFacts(
            engine: engineName, isDurable: capabilities.isDurable, isShared: capabilities.isShared,
            rewritesWholeFile: capabilities.rewritesWholeFile,
            isText: engine.isFile
                ? shelf.isText(try shelf.store(engine, .folders, size: size)) : false)
    }

    /// Does the same with GRDB.
    func changingGRDB(
        _ contents: StoreTemplates.Contents, _ body: (GRDBPeer) throws -> Sample
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

    /// Returns the URL of a GRDB database with all items. The caller must not change the database.
    func grdbItems() throws -> GRDBPeer { try GRDBPeer(try shelf.grdb(.items, size: size)) }
}

/// Creates settings that share the stores that the report's rows measure.
public final class Settings {
    /// The engines that can be measured, starting with the most used.
    public static let engines = ["SQLite", "LMDB", "Binary", "XML", "InMemory"]

    private let shelf: StoreTemplates

    /// Creates the settings.
    ///
    /// - Parameter folder: The folder for stores, or `nil` for the system's temporary directory.
    /// - Throws: An error if nothing can be created there.
    public init(folder: URL? = nil) throws {
        shelf = try StoreTemplates(below: folder ?? FileManager.default.temporaryDirectory)
    }

    /// Returns the setting for an engine and a size.
    ///
    /// - Parameter engine: The engine's type, such as `SQLite`.
    public func setting(_ engine: String, size: Int) -> Setting {
        Setting(engine: StoreType(rawValue: engine), size: size, shelf: shelf)
    }
}
