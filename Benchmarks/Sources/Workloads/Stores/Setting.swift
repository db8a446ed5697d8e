import Cairn
import Foundation

/// Where a row is measured: on which engine, with how many objects.
public struct Setting {
    /// The engine's type, such as `SQLite`.
    public var engineName: String { engine.rawValue }
    let engine: StoreType
    /// How many items the stores hold.
    public let size: Int
    let shelf: StoreShelf

    /// The store with all items; not to be changed.
    func items() throws -> URL { try shelf.store(engine, .items, size: size) }

    /// The store with folders and no items; not to be changed.
    func folders() throws -> URL { try shelf.store(engine, .folders, size: size) }

    /// Some of the keys of the items, in an order that jumps about, always the same.
    func someKeys(_ count: Int) -> [Int64] {
        var random = Random(seed: 7)
        return random.places(min(count, size), of: size).map { Int64($0) + 1 }
    }
}

/// Makes settings, which share the stores that rows start from.
public final class Settings {
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
