import Cairn
import CairnTestSupport
import FolderStore
import Foundation
import GraphSupport
import StoreFileSupport
import Testing

/// Stores of pictures, some with large values, on every engine that uses files.
struct FileStack {
    /// Every built-in engine with files, and an external engine whose stores are folders.
    static let types: [StoreType] = everyFileEngine + ["Folder"]

    let type: StoreType
    let folder: TemporaryFolder
    let model: ManagedObjectModel

    init(_ type: StoreType) throws {
        self.type = type
        folder = try TemporaryFolder()
        model = try PictureModel.make()
    }

    static var registry: StoreRegistry { PictureModel.registry }

    func coordinator() -> PersistentStoreCoordinator {
        PersistentStoreCoordinator(managedObjectModel: model, registry: Self.registry)
    }

    func url(_ name: String) -> URL { folder.file(name) }

    /// Creates a store of pictures as a crash leaves it, with its log, locks and temporary files.
    func make(_ titles: String..., at name: String) throws -> URL {
        let elsewhere = try TemporaryFolder()
        let made = elsewhere.file(name)
        let coordinator = coordinator()
        let store = try coordinator.addPersistentStore(ofType: type, at: made)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for title in titles {
                let picture = try context.insertNewObject(forEntityName: "Picture")
                try picture.setValue(title, forKey: "title")
                try picture.setValue(Self.pixels(title), forKey: "pixels")
            }
            try context.save()
        }
        let target = url(name)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        for item in try FileManager.default.contentsOfDirectory(atPath: elsewhere.url.path) {
            try FileManager.default.copyItem(
                at: elsewhere.file(item),
                to: target.deletingLastPathComponent().appending(path: item))
        }
        try coordinator.remove(store)
        if type == .xml || type == .binary {
            for leftover in [".\(name).saving-abcdefg", "\(name)-lock"] {
                try Data().write(to: url(leftover))
            }
        }
        return target
    }

    /// Returns pixels that are too long for SQLite to store inline.
    static func pixels(_ title: String) -> Data {
        Data(repeating: UInt8(title.count), count: 150_000)
    }

    /// Returns the titles of the pictures in the store at a URL, sorted. Records an issue for a picture with
    /// wrong pixels.
    func titles(_ url: URL) throws -> [String] {
        let coordinator = coordinator()
        let store = try coordinator.addPersistentStore(
            ofType: type, at: url, options: ["createsMissingStore": false])
        defer { try? coordinator.remove(store) }
        return try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.fetch(FetchRequest("Picture")).map { picture in
                let title = try #require(try picture.value(forKey: "title") as? String)
                let pixels = try picture.value(forKey: "pixels") as? Data
                #expect(pixels == Self.pixels(title))
                return title
            }.sorted()
        }
    }

    /// Returns the names of all files in the folder, including hidden files and the content of folders that
    /// are not stores.
    func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted()
            .filter { type != "Folder" || !$0.contains("/") }
    }

    func isExternal(_ name: String) -> Bool { name.contains("_SUPPORT") }

    func error<Result>(_ body: () throws -> Result) -> GraphError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? GraphError
        }
    }

    /// Returns another process that has the store open until it is killed.
    func holder(_ url: URL) throws -> WorkerProcess {
        let worker = try WorkerProcess("pictures", "hold", type.rawValue, url.path)
        #expect(worker.line() == "open")
        return worker
    }
}
