import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Commands on a store in whose folder symbolic links have the names of the store's own files.
@Suite struct `Commands on a store with links beside it` {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder
    private var secret: URL { outside.file("secret") }

    init() throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
        try Data("a secret of this user".utf8).write(to: secret)
    }

    /// Creates a store with a large value, closed.
    private func make(_ type: StoreType) throws -> URL {
        let store = folder.file("Photos.store")
        var image = AttributeDescription("image", .binary)
        image.allowsExternalBinaryDataStorage = true
        let model = try ManagedObjectModel([EntityDescription("Photo", [.attribute(image)])])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(ofType: type, at: store)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.insertNewObject(forEntityName: "Photo")
                .setValue(Data(repeating: 7, count: 200_000), forKey: "image")
            try context.save()
        }
        try coordinator.remove(added)
        return store
    }

    private func runs(_ store: URL) throws -> [(command: String, run: ToolRun)] {
        let copy = folder.file("Copy-\(UUID().uuidString)").path
        let commands = [
            ["info", store.path], ["query", store.path, "--entity", "Photo", "--format", "json"],
            ["verify", store.path], ["dump", store.path],
            ["copy", store.path, copy, "--type", "Binary"],
        ]
        return try commands.map { ($0[0], try ToolRun(["store"] + $0)) }
    }

    private func link(_ name: String, to target: URL) throws {
        let link = folder.file(name)
        try? FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    }

    @Test func `do not give out what a large value's file leads to`() throws {
        let store = try make(.sqlite)
        let value = try #require(
            FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
                .first { $0.contains("_EXTERNAL_DATA/") })
        let inner = outside.file("_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: secret, to: inner.appending(path: (value as NSString).lastPathComponent))
        let text = try Data(contentsOf: secret)

        for (name, target) in [
            (value, secret), (".Photos_SUPPORT/_EXTERNAL_DATA", inner),
            (".Photos_SUPPORT", outside.url),
        ] {
            try link(name, to: target)
            for (command, run) in try runs(store) where command != "info" {
                #expect(run.exitCode == 1, "\(name), \(command): \(run.text)")
                #expect(!run.text.contains(text.base64EncodedString()), "\(name), \(command)")
                #expect(!run.text.contains("a secret"), "\(name), \(command)")
                #expect(
                    (run.text + run.errorText).contains((name as NSString).lastPathComponent),
                    "\(name), \(command): \(run.text)\(run.errorText)")
            }
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        where name.hasPrefix("Copy-") {
            let bytes = try Data(contentsOf: folder.file(name))
            #expect(bytes.range(of: text) == nil)
        }
    }

    @Test(arguments: everyFileEngine)
    func `do not change what a lock or a log leads to`(_ type: StoreType) throws {
        let store = try make(type)
        let text = try Data(contentsOf: secret)

        for suffix in ["-lock", "-wal", "-shm", "-journal", "-keys", "-pending"] {
            for target in [secret, outside.file("missing")] {
                try link("Photos.store" + suffix, to: target)
                for (command, run) in try runs(store) {
                    let about = "\(suffix) → \(target.lastPathComponent), \(command)"
                    #expect(
                        run.exitCode == 0 || run.errorText.contains("Photos.store\(suffix)"),
                        "\(about): \(run.errorText)")
                    #expect(!run.text.contains("a secret"), "\(about)")
                }
                #expect(try Data(contentsOf: secret) == text)
                #expect(!FileManager.default.fileExists(atPath: outside.file("missing").path))
                #expect(unlink(store.path + suffix) == 0)
            }
        }
        for (command, run) in try runs(store) {
            #expect(run.exitCode == 0, "\(command): \(run.errorText)")
        }
    }
}
