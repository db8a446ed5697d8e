import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@testable import CairnStore
@testable import CairnStoreCopying

/// Symbolic links with the names of files that belong to a store. Whoever may write to the store's folder can
/// create them, and so can whoever gave the store away.
@Suite struct `A symbolic link instead of a store's own file` {
    /// What the link leads to.
    enum Target: String, CaseIterable, Sendable {
        case file, folder, nothing
    }

    /// What a program or the command does with the store.
    enum Use: String, CaseIterable, Sendable {
        case read, inspect, verify, copy, migrate, save, create, replace, move, destroy

        /// The uses that may follow each other on one store.
        static let groups: [[Use]] = [
            [.read, .inspect, .verify, .copy, .migrate, .save], [.create], [.replace], [.move],
            [.destroy],
        ]
    }

    @Test(arguments: everyFileEngine, Target.allCases)
    func `is neither followed nor hides which file is wrong`(
        _ type: StoreType, _ target: Target
    ) throws {
        let template = try FileStack(type)
        let url = try template.make("dawn", at: "store")
        _ = try template.titles(url)

        for name in try LinkedStore.companions(of: template, url) {
            for uses in Use.groups {
                let store = try LinkedStore(copying: template, name, target)
                defer { store.end() }
                for use in uses {
                    let error = store.error { try store.perform(use) }

                    let about = "\(type), \(name), \(use)"
                    #expect(store.touched() == [], "\(about): \(error as Any)")
                    if let error {
                        #expect(
                            error.contains(store.link.lastPathComponent), "\(about): \(error)")
                    }
                }
                #expect(store.targetContent() == store.original, "\(type), \(name), \(uses)")
            }
        }
    }

    @Test(arguments: everyFileEngine, ["store-lock", "store-wal", "store-shm"])
    func `is not needed to overwrite another file, which a hard link does as well`(
        _ type: StoreType, _ name: String
    ) throws {
        let stack = try FileStack(type)
        let url = try stack.make("dawn", at: "store")
        _ = try stack.titles(url)
        let (victim, companion) = (stack.url("victim"), stack.url(name))
        try Data("mine".utf8).write(to: victim)
        try? FileManager.default.removeItem(at: companion)
        #expect(link(victim.path, companion.path) == 0)

        let (reading, error) = (
            stack.error { try LinkedStore.read(stack, url) },
            stack.error { try LinkedStore.save("noon", in: stack, at: url) }
        )

        if let reading { #expect("\(reading)".contains(name)) }
        #expect(try Data(contentsOf: victim) == Data("mine".utf8))
        if let error { #expect("\(error)".contains(name)) }
        _ = unlink(companion.path)
        let titles = try stack.titles(url)
        #expect(titles == (error == nil ? ["dawn", "noon"] : ["dawn"]))
    }

    @Test(arguments: everyFileEngine)
    func `does not matter for a store that is itself reached through a link`(
        _ type: StoreType
    ) throws {
        let stack = try FileStack(type)
        let url = try stack.make("dawn", at: "store")
        let alias = stack.url("alias/other")
        try FileManager.default.createDirectory(
            at: alias.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: alias.deletingLastPathComponent().appending(path: "folder"),
            withDestinationURL: stack.folder.url)
        try FileManager.default.createSymbolicLink(
            atPath: alias.path, withDestinationPath: "folder/store")

        try LinkedStore.save("noon", in: stack, at: alias)

        #expect(try stack.titles(alias) == ["dawn", "noon"])
        #expect(try stack.titles(url) == ["dawn", "noon"])
        let names = try FileManager.default.contentsOfDirectory(
            atPath: alias.deletingLastPathComponent().path)
        #expect(names.sorted() == ["folder", "other"])
    }
}

/// A store in whose folder a link has the name of one of the store's own files.
private struct LinkedStore {
    let stack: FileStack
    let link: URL
    /// The names and contents of the files outside the store's folder, before the store is used.
    let original: [String: Data]
    private let outside: TemporaryFolder
    private let watch: Int32

    private var url: URL { stack.url("store") }
    private var engine: any FileStore.Type {
        get throws {
            try FileStack.registry.fileEngine(ofType: stack.type, for: .file(url))
        }
    }

    /// Returns the names of the files and folders that may belong to a store, relative to its folder.
    static func companions(of stack: FileStack, _ url: URL) throws -> [String] {
        let engine = try FileStack.registry.fileEngine(ofType: stack.type, for: .file(url))
        var names = Set(engine.companionFiles(of: .file(url)).map(\.url.lastPathComponent))
        names.formUnion(["store-lock", "store-pending", "store-pending-new", ".store.migrating"])
        // The folder of large values, and the files and folders in it.
        for file in try stack.files() where stack.isExternal(file) { names.insert(file) }
        return names.sorted()
    }

    init(
        copying template: FileStack, _ name: String,
        _ target: `A symbolic link instead of a store's own file`.Target
    ) throws {
        stack = try FileStack(template.type)
        outside = try TemporaryFolder()
        let files = FileManager.default
        for item in try files.contentsOfDirectory(atPath: template.folder.url.path) {
            try files.copyItem(at: template.url(item), to: stack.url(item))
        }
        link = stack.url(name)
        try? files.removeItem(at: link)
        let destination = outside.file("destination")
        switch target {
        case .file: try Data("secret".utf8).write(to: destination)
        case .folder:
            try files.createDirectory(
                at: destination.appending(path: "_EXTERNAL_DATA"),
                withIntermediateDirectories: true)
            let value = try template.files().last { template.isExternal($0) } ?? "secret"
            let inside = "_EXTERNAL_DATA/" + (value as NSString).lastPathComponent
            try FileStack.pixels("dawn").write(to: destination.appending(path: inside))
        case .nothing: break
        }
        try files.createSymbolicLink(at: link, withDestinationURL: destination)
        original = Self.content(outside)
        watch = inotify_init1(Int32(IN_NONBLOCK))
        let mask = UInt32(IN_OPEN | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVE)
        for path in [outside.url, destination, destination.appending(path: "_EXTERNAL_DATA")] {
            inotify_add_watch(watch, path.path, mask)
        }
    }

    /// Returns the masks of the events at the link's destination so far.
    func touched() -> [UInt32] {
        var buffer = [UInt32](repeating: 0, count: 4096)
        let count = Foundation.read(watch, &buffer, buffer.count * 4)
        // The second word of an event is its mask.
        return count > 0 ? [buffer[1]] : []
    }

    func targetContent() -> [String: Data] { Self.content(outside) }

    func end() { close(watch) }

    private static func content(_ folder: TemporaryFolder) -> [String: Data] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.url.path)) ?? []
        return Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, (try? Data(contentsOf: folder.file($0))) ?? Data())
            })
    }

    func error(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    func perform(_ use: `A symbolic link instead of a store's own file`.Use) throws {
        let coordinator = stack.coordinator()
        switch use {
        case .save: try Self.save("noon", in: stack, at: url)
        case .create:
            try FileManager.default.removeItem(at: url)
            try Self.save("noon", in: stack, at: url)
        case .read: try Self.read(stack, url)
        case .inspect:
            let (engine, location) = (try engine, StoreLocation.file(url))
            _ = engine.recognizes(location)
            _ = try engine.metadata(at: location)
            _ = try engine.model(at: location)
            _ = try engine.entityCounts(at: location)
            #expect(try engine.byteCount(at: location) ?? 0 > 0)
        case .verify:
            let store = try engine.open(
                OpenRequest(location: .file(url), model: stack.model, isReadOnly: true))
            defer { try? store.close() }
            _ = try (store as? any SelfCheckingStore)?.findDisagreements()
            _ = try (store as? any ExternalDataStore)?.unnamedFiles()
        case .copy:
            try coordinator.replacePersistentStore(
                at: stack.url("copy"), withPersistentStoreFrom: url, type: stack.type)
        case .replace:
            let other = try stack.make("other", at: "other")
            _ = try stack.titles(other)
            try coordinator.replacePersistentStore(
                at: url, withPersistentStoreFrom: other, type: stack.type)
        case .move:
            try coordinator.movePersistentStore(
                at: url, to: stack.url("moved"), ofType: stack.type)
        case .destroy: try coordinator.destroyPersistentStore(at: url, ofType: stack.type)
        case .migrate: try StoreMigration.waitForMigration(of: url)
        }
    }

    /// Reads the picture “dawn”.
    static func read(_ stack: FileStack, _ url: URL) throws {
        let coordinator = stack.coordinator()
        let store = try coordinator.addPersistentStore(
            ofType: stack.type, at: url, options: ["readOnly": true])
        defer { try? coordinator.remove(store) }
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for picture in try context.fetch(FetchRequest<ManagedObject>("Picture")) {
                let pixels = try picture.value(forKey: "pixels") as? Data
                #expect(pixels == FileStack.pixels("dawn"))
            }
        }
    }

    static func save(_ title: String, in stack: FileStack, at url: URL) throws {
        let coordinator = stack.coordinator()
        let store = try coordinator.addPersistentStore(ofType: stack.type, at: url)
        defer { try? coordinator.remove(store) }
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let picture = try context.insertNewObject(forEntityName: "Picture")
            try picture.setValue(title, forKey: "title")
            try picture.setValue(FileStack.pixels(title), forKey: "pixels")
            try context.save()
        }
    }
}
