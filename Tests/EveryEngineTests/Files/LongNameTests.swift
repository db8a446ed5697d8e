import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// A store's name, with which the names of locks, logs, journals and temporary files begin.
@Suite struct `A long file name` {
    /// Names of the given length in bytes. Each `é` has two.
    private static func name(_ byteCount: Int) -> String {
        let ending = ".store"
        let rest = byteCount - ending.utf8.count
        return String(repeating: "é", count: rest / 2) + String(repeating: "x", count: rest % 2)
            + ending
    }

    private static let engines = FileStack.types

    @Test(arguments: engines, [65, 200, 209, 230, 243])
    func `is possible for everything that is done with a store`(
        _ type: StoreType, _ byteCount: Int
    ) throws {
        let stack = try FileStack(type)
        let name = Self.name(byteCount)
        for folder in ["copy", "moved"] {
            try FileManager.default.createDirectory(
                at: stack.url(folder), withIntermediateDirectories: true)
        }
        let coordinator = stack.coordinator()
        let url = stack.url(name)
        let store = try coordinator.addPersistentStore(ofType: type, at: url)
        for title in ["a", "bb"] {
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                let picture = try context.insertNewObject(forEntityName: "Picture")
                try picture.setValue(title, forKey: "title")
                try picture.setValue(FileStack.pixels(title), forKey: "pixels")
                try context.save()
            }
        }
        let (copy, moved) = (stack.url("copy/\(name)"), stack.url("moved/\(name)"))
        try coordinator.remove(store)

        for _ in 1...2 {
            try coordinator.replacePersistentStore(
                at: copy, withPersistentStoreFrom: url, type: type)
        }
        try coordinator.movePersistentStore(at: url, to: moved, ofType: type)

        #expect(try stack.titles(copy) == ["a", "bb"])
        #expect(try stack.titles(moved) == ["a", "bb"])
        try coordinator.destroyPersistentStore(at: copy, ofType: type)
        let left = try FileManager.default.contentsOfDirectory(atPath: stack.url("copy").path)
        #expect(left == [])
    }

    @Test(arguments: everyFileEngine, [244, 250, 255, 256, 300])
    func `that is too long is refused before anything is created`(
        _ type: StoreType, _ byteCount: Int
    ) throws {
        let stack = try FileStack(type)
        let coordinator = stack.coordinator()

        let error = #expect(throws: GraphError.self) {
            try coordinator.addPersistentStore(ofType: type, at: stack.url(Self.name(byteCount)))
        }

        guard case .store(.unsupported(_, let feature, let advice))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(feature == "a name of \(byteCount) bytes")
        #expect(advice.contains("at most 243 bytes"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: stack.folder.url.path) == [])
    }

    @Test func `is possible for the stores of a save over several stores`() throws {
        let stack = try FileStack(.sqlite)
        let coordinator = stack.coordinator()
        let names = [Self.name(243), "b" + Self.name(242)]
        for name in names {
            try coordinator.addPersistentStore(ofType: .sqlite, at: stack.url(name))
        }

        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for store in coordinator.persistentStores {
                let picture = try context.insertNewObject(forEntityName: "Picture")
                try picture.setValue("a", forKey: "title")
                try picture.setValue(FileStack.pixels("a"), forKey: "pixels")
                try context.assign(picture, to: store)
            }
            try context.save()
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }

        for name in names { #expect(try stack.titles(stack.url(name)) == ["a"]) }
    }

    @Test func `of a folder is refused by SQLite before anything is created`() throws {
        let folder = try TemporaryFolder()
        var deep = folder.url
        while deep.path.utf8.count < 480 {
            deep = deep.appending(path: String(repeating: "d", count: 40))
        }
        try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([EntityDescription("Item")]))

        let error = #expect(throws: GraphError.self) {
            try coordinator.addPersistentStore(
                ofType: .sqlite, at: deep.appending(path: "a.sqlite"))
        }

        guard case .store(.unsupported(_, let feature, _))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(feature.contains("a folder whose path has"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: deep.path) == [])
    }
}
