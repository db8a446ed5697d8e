import Cairn
import Foundation
import GraphSupport
import Testing

/// Stores whose file has a second name (a hard link). Users of the two names would not see each other's locks or
/// logs, or each save would leave the other name with the old content.
@Suite struct `A store whose file has two names` {
    private func open(
        _ stack: FileStack, _ url: URL, isReadOnly: Bool = false
    ) throws -> (PersistentStoreCoordinator, any PersistentStore) {
        let coordinator = stack.coordinator()
        let store = try coordinator.addPersistentStore(
            ofType: stack.type, at: url, options: isReadOnly ? ["readOnly": true] : [:])
        return (coordinator, store)
    }

    private func save(_ title: String, _ coordinator: PersistentStoreCoordinator) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let picture = try context.insertNewObject(forEntityName: "Picture")
            try picture.setValue(title, forKey: "title")
            try picture.setValue(FileStack.pixels(title), forKey: "pixels")
            try context.save()
        }
    }

    private func expectHardLinked(_ error: GraphError?, _ place: SourceLocation = #_sourceLocation)
    {
        guard case .store(.hardLinked(_, linkCount: 2))? = error else {
            Issue.record("\(error as Any)", sourceLocation: place)
            return
        }
    }

    @Test(arguments: everyFileEngine)
    func `is opened only for reading`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let (url, alias) = (try stack.make("dawn", at: "store"), stack.url("alias"))
        _ = try stack.titles(url)
        #expect(link(url.path, alias.path) == 0)

        let errors = [url, alias].map { url in stack.error { try open(stack, url) } }
        let (reading, reader) = try open(stack, url, isReadOnly: true)
        let count = try ContextHandle(coordinator: reading).performAndWait { context in
            try context.count(for: FetchRequest<ManagedObject>("Picture"))
        }
        try reading.remove(reader)
        #expect(unlink(alias.path) == 0)
        let (coordinator, store) = try open(stack, url)
        try save("noon", coordinator)
        try coordinator.remove(store)

        for error in errors { expectHardLinked(error) }
        #expect(count == 1)
        #expect(try stack.titles(url) == ["dawn", "noon"])
    }

    @Test(arguments: everyFileEngine)
    func `is not saved to from when it gets the other name until it loses it`(
        _ type: StoreType
    ) throws {
        let stack = try FileStack(type)
        let (url, alias) = (try stack.make("dawn", at: "store"), stack.url("alias"))
        let (coordinator, store) = try open(stack, url)
        try save("noon", coordinator)
        #expect(link(url.path, alias.path) == 0)

        let error = stack.error { try save("never", coordinator) }
        let isOneFile = try stack.isSameFile(url, alias)
        #expect(unlink(alias.path) == 0)
        try save("evening", coordinator)
        try coordinator.remove(store)

        expectHardLinked(error)
        #expect(isOneFile)
        #expect(try stack.titles(url) == ["dawn", "evening", "noon"])
    }

    @Test(arguments: everyFileEngine)
    func `is not migrated, so that the names do not part`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let (url, alias) = (try stack.make("dawn", at: "store"), stack.url("alias"))
        _ = try stack.titles(url)
        #expect(link(url.path, alias.path) == 0)
        var pixels = AttributeDescription("pixels", .binary)
        pixels.allowsExternalBinaryDataStorage = true
        let newer = try ManagedObjectModel([
            EntityDescription(
                "Picture",
                [.attribute("title", .string), .attribute(pixels), .attribute("note", .string)]),
            EntityDescription("Frame"),
        ])

        let error = stack.error {
            try MigrationManager(
                sourceModel: stack.model, destinationModel: newer, registry: FileStack.registry
            ).migrateStore(at: url, ofType: type)
        }

        expectHardLinked(error)
        #expect(try stack.isSameFile(url, alias))
        #expect(unlink(alias.path) == 0)
        #expect(try stack.titles(url) == ["dawn"])
    }
}

extension FileStack {
    /// Whether two paths are names of one file.
    fileprivate func isSameFile(_ url: URL, _ other: URL) throws -> Bool {
        var (first, second) = (stat(), stat())
        return stat(url.path, &first) == 0 && stat(other.path, &second) == 0
            && first.st_ino == second.st_ino && first.st_dev == second.st_dev
    }
}
