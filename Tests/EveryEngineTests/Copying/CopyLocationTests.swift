import Cairn
import CairnFiles
import CairnStore
import FolderStore
import Foundation
import Testing

@testable import CairnStoreCopying

@Suite struct `The location of a copy` {
    private func copy(_ stack: FileStack, _ source: URL, to target: URL) throws {
        let coordinator = stack.coordinator()
        let store = try coordinator.addPersistentStore(ofType: stack.type, at: source)
        defer { try? coordinator.remove(store) }
        let engine = try FileStack.registry.engine(ofType: stack.type)
        try StoreCopier(to: engine).copy(store, to: target)
    }

    @Test(arguments: FileStack.types)
    func `is cleared of what a killed copy left`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let source = try stack.make("dawn", at: "store")
        let left = stack.url(".copy.copy-\(UUID().uuidString)")
        let names = ["new", "replaced"].map { left.appending(path: $0) }
        for folder in names {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        try Data("half of a store".utf8).write(to: names[0].appending(path: "copy"))
        let work = try WorkFolder.make(prefix: stack.url(".copy.copy-").path)

        try copy(stack, source, to: stack.url("copy"))

        #expect(!FileManager.default.fileExists(atPath: left.path))
        // The work folder of a copy that is still in progress.
        #expect(FileManager.default.fileExists(atPath: work.path))
        work.remove()
        #expect(try stack.titles(stack.url("copy")) == ["dawn"])
    }

    @Test func `gets back a store that a killed copy had moved aside`() throws {
        let stack = try FileStack("Folder")
        let (source, old) = (
            try stack.make("dawn", at: "store"), try stack.make("noon", at: "copy")
        )
        let left = stack.url(".copy.copy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: left.appending(path: "replaced"), withIntermediateDirectories: true)
        #expect(rename(old.path, left.appending(path: "replaced/copy").path) == 0)

        let error = stack.error { try copy(stack, source, to: old) }

        guard case .destinationExists? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(try stack.titles(old) == ["noon"])
        #expect(!FileManager.default.fileExists(atPath: left.path))
    }

    @Test(arguments: FileStack.types)
    func `has no name that an engine gives to its own files`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let source = try stack.make("dawn", at: "store")
        let names = [
            "store-lock", "store-keys", "store-wal", "store-shm", "store-journal",
            ".store_SUPPORT", ".store_FILES", "other-wal", ".store.saving-abcdefg",
            "store.cairn-new-1",
            ".store.replacing-0123456789abc-0123456789abc",
        ]

        let errors = names.map { name in
            stack.error { try copy(stack, source, to: stack.url(name)) }
        }
        let moving = stack.error {
            try stack.coordinator().movePersistentStore(
                at: source, to: stack.url("other-lock"), ofType: type)
        }

        for (name, error) in zip(names, errors) {
            // An existing file is refused because it exists.
            if case .destinationExists? = error { continue }
            guard case .store(.unsupported(_, let feature, _))? = error else {
                Issue.record("\(name): \(error as Any)")
                continue
            }
            #expect(feature.contains("next to the store"))
        }
        guard case .store(.unsupported)? = moving else {
            Issue.record("moving: \(moving as Any)")
            return
        }
        #expect(try stack.titles(source) == ["dawn"])
        #expect(try stack.files().filter { $0.contains(".copy-") } == [])
    }

    @Test(arguments: FileStack.types)
    func `may have any name except those of companion files`(_ type: StoreType) throws {
        let engine = try FileStack.registry.fileEngine(
            ofType: type, for: .file(URL(fileURLWithPath: "/folder/store")))
        let companions = engine.companionFiles(
            of: .file(URL(fileURLWithPath: "/folder/store"))
        ).map(\.url.lastPathComponent)

        for name in companions where type != "Folder" {
            #expect(CompanionName.store(owning: name) == "store", "\(name)")
        }
        for name in ["store", "store.sqlite", "wal", "-wal", "my wall", "lock", ".hidden"] {
            #expect(CompanionName.store(owning: name) == nil, "\(name)")
        }
    }
}
