import Cairn
import Foundation
import Testing

@Suite struct `The type of a store` {
    private func add(_ stack: FileStack, _ url: URL) throws -> any PersistentStore {
        try stack.coordinator().addPersistentStore(with: PersistentStoreDescription(url: url))
    }

    @Test(arguments: FileStack.types)
    func `is detected from the file's content if no type is named`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let file = try stack.make("dawn", at: "store.\(type == .xml ? "sqlite" : "xml")")

        let store = try add(stack, file)

        #expect(Swift.type(of: store).type == type)
    }

    @Test func `is SQLite if the file does not exist yet`() throws {
        let stack = try FileStack(.sqlite)

        let store = try add(stack, stack.url("new.xml"))

        #expect(Swift.type(of: store).type == .sqlite)
    }

    @Test func `is known while this process has the store open`() throws {
        let stack = try FileStack(.sqlite)
        let file = try stack.make("dawn", at: "store")
        let coordinator = stack.coordinator()
        try coordinator.addPersistentStore(ofType: .sqlite, at: file)

        let type = try FileStack.registry.type(ofStoreAt: .file(file))

        #expect(type == .sqlite)
    }

    @Test(arguments: [
        ("empty", "an empty file"), ("folder", "a folder"), ("pipe", "a named pipe"),
        ("letter", "a file of another kind"), ("list", "a binary property list"),
    ])
    func `is not guessed for a file that is not a store`(_ name: String, _ kind: String) throws {
        let stack = try FileStack(.sqlite)
        let url = stack.url(name)
        switch name {
        case "folder":
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        case "pipe": #expect(mkfifo(url.path, 0o600) == 0)
        case "letter": try Data("Dear reader".utf8).write(to: url)
        case "list": try Data("bplist00".utf8).write(to: url)
        default: try Data().write(to: url)
        }

        let error = stack.error { try add(stack, url) }

        guard case .store(.unrecognized(_, let found, let known))? = error else {
            Issue.record("not unrecognized: \(error as Any)")
            return
        }
        #expect(found == kind)
        #expect(known == ["Binary", "Folder", "LMDB", "SQLite", "XML"])
    }

    @Test func `is not guessed for a file that cannot be read`() throws {
        let stack = try FileStack(.sqlite)
        let url = stack.url("loop")
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: url)

        let error = stack.error { try add(stack, url) }

        guard case .store(.fileFailure(let failure))? = error else {
            Issue.record("no failure of the file system: \(error as Any)")
            return
        }
        #expect(failure.code == ELOOP)
    }
}

@Suite struct `A store in a folder that does not exist` {
    @Test(arguments: FileStack.types)
    func `is refused with the folder's name and advice`(_ type: StoreType) throws {
        let stack = try FileStack(type)

        let error = stack.error {
            try stack.coordinator().addPersistentStore(
                ofType: type, at: stack.url("missing/store"))
        }

        guard case .store(.folderMissing(_, let folder))? = error else {
            Issue.record("not said to be missing: \(error as Any)")
            return
        }
        #expect(folder.path == stack.url("missing").path)
        #expect(error?.description.contains("Create the folder") == true)
        #expect(try stack.files() == [])
    }
}
