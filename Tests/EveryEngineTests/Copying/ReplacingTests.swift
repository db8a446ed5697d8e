import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A store that is replaced` {
    @Test(arguments: FileStack.types)
    func `equals the source, which keeps its own files`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let old = try stack.make("dawn", "noon", at: "old")
        let source = try stack.make("evening", at: "source")

        try stack.coordinator().replacePersistentStore(
            at: old, withPersistentStoreFrom: source, type: type)

        #expect(try stack.titles(old) == ["evening"])
        #expect(try stack.titles(source) == ["evening"])
        #expect(try stack.files().filter { $0.contains(".copy-") } == [])
        // Each of the two stores has two folders and one external value.
        if type == .sqlite { #expect(try stack.files().count(where: stack.isExternal) == 6) }
    }

    @Test(arguments: FileStack.types)
    func `need not exist, and does afterwards`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let source = try stack.make("evening", at: "source")

        try stack.coordinator().replacePersistentStore(
            at: stack.url("new"), withPersistentStoreFrom: source, type: type)

        #expect(try stack.titles(stack.url("new")) == ["evening"])
    }

    @Test(arguments: everyFileEngine)
    func `may be damaged, but is unchanged if the source is damaged`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let (good, bad) = (try stack.make("dawn", at: "good"), try stack.make("noon", at: "bad"))
        var bytes = try Data(contentsOf: bad)
        bytes.replaceSubrange(40..<bytes.count, with: Data(repeating: 7, count: bytes.count - 40))
        try bytes.write(to: bad)
        let coordinator = stack.coordinator()

        let refusal = stack.error {
            try coordinator.replacePersistentStore(
                at: good, withPersistentStoreFrom: bad, type: type)
        }
        let kept = try stack.titles(good)
        try coordinator.replacePersistentStore(at: bad, withPersistentStoreFrom: good, type: type)

        guard case .store? = refusal else {
            Issue.record("a damaged source is not refused: \(refusal as Any)")
            return
        }
        #expect(kept == ["dawn"])
        #expect(try stack.titles(bad) == ["dawn"])
    }

    @Test(arguments: FileStack.types)
    func `must not be a file of another kind or be opened read-only`(_ type: StoreType) throws {
        let stack = try FileStack(type)
        let source = try stack.make("dawn", at: "source")
        let letter = stack.url("letter")
        try Data("a letter".utf8).write(to: letter)
        let coordinator = stack.coordinator()

        let foreign = stack.error {
            try coordinator.replacePersistentStore(
                at: letter, withPersistentStoreFrom: source, type: type)
        }
        let readOnly = stack.error {
            try coordinator.replacePersistentStore(
                at: stack.url("new"), destinationOptions: [.readOnly: true],
                withPersistentStoreFrom: source, type: type)
        }

        guard case .store(.notAStore)? = foreign, case .store(.readOnly)? = readOnly else {
            Issue.record("foreign: \(foreign as Any), read-only: \(readOnly as Any)")
            return
        }
        #expect(try Data(contentsOf: letter) == Data("a letter".utf8))
    }
}
