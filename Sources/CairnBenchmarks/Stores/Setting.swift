import Cairn
import Foundation

/// The engine and the number of objects with which a row is measured.
package struct Setting {
    package let engine: StoreType
    /// The number of items in the stores.
    package let size: Int
    package let shelf: StoreTemplates
    /// Whether each save writes the whole store, in which case rows make fewer saves.
    package let isWholeFile: Bool

    /// Creates a setting.
    ///
    /// - Parameter isWholeFile: Whether each save writes the whole store. If `nil`, the engine decides.
    package init(engine: StoreType, size: Int, shelf: StoreTemplates, isWholeFile: Bool? = nil) {
        self.engine = engine
        self.size = size
        self.shelf = shelf
        self.isWholeFile = isWholeFile ?? engine.isWholeFile
    }

    /// The engine's type, such as `SQLite`.
    package var engineName: String { engine.rawValue }

    package var isSQLite: Bool { engine == .sqlite }

    /// The number of folders, and of categories.
    package var groupCount: Int { ReferenceModel.groupCount(for: size) }

    /// Returns the indices of some items in random order, which is the same each time.
    package func someIndices(_ count: Int) -> [Int] {
        var random = Random(seed: 7)
        return random.indices(min(count, size), of: size)
    }

    /// Returns the number of saves of a row: 3 instead of `count` if each save writes the whole store.
    package func saveCount(_ count: Int) -> Int { isWholeFile ? 3 : count }

    /// Returns values of items that are not yet in the store.
    package func newItems(_ count: Int) -> [ItemValues] {
        (0..<count).map { index in
            var item = ItemValues.item(at: size + index, of: size)
            item.category = 0
            return item
        }
    }

    /// Returns the store with all items. The caller must not change the store.
    ///
    /// - Precondition: The engine's stores outlive the process.
    package func itemsURL() throws -> URL { try shelf.store(engine, .items, size: size) }

    /// Returns a stack with the store of all items. The caller must not change the store.
    package func items() throws -> MeasuredStack {
        guard engine.isDurable else { return try shelf.memoryStack(engine, .items, size: size) }
        return try shelf.open(engine, at: try itemsURL())
    }

    /// Passes a new store to the body, which changes it. The checksum is that of the store's content, which
    /// is read back.
    ///
    /// - Parameter options: The options of the store.
    package func changing(
        _ contents: StoreTemplates.Contents, options: StoreOptions = [:],
        _ body: (MeasuredStack) throws -> Sample
    ) throws -> Sample {
        guard engine.isDurable else {
            let stack = try shelf.newMemoryStack(engine, contents, size: size)
            var sample = try body(stack)
            sample.checksum = try stack.inContext { try Proof.checksum(in: $0) }
            return sample
        }
        let store = try shelf.newStore(engine, contents, size: size)
        defer { shelf.discard(store) }
        let stack = try shelf.open(engine, at: store, options: options)
        var sample = try body(stack)
        try stack.close()
        sample.checksum = try shelf.checksum(of: store, engine)
        sample.fileBytes = shelf.byteCount(of: store)
        return sample
    }

    /// Returns what the engine declares, and whether its files are text.
    ///
    /// - Throws: An error if a store cannot be created.
    func facts() throws -> EngineFacts {
        let capabilities = engine.capabilities ?? StoreCapabilities()
        return EngineFacts(
            engine: engineName, isDurable: capabilities.isDurable, isShared: capabilities.isShared,
            rewritesWholeFile: capabilities.rewritesWholeFile,
            isText: engine.isFile
                ? shelf.isText(try shelf.store(engine, .folders, size: size)) : false)
    }
}
