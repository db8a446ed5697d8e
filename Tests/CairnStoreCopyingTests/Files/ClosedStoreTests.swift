import CairnBinary
import CairnStore
import CairnStoreCopying
import Foundation
import Testing

@Suite struct `Closed store` {
    private let stores: StoreWithoutGraph

    init() throws { stores = try StoreWithoutGraph() }

    private func closed(_ url: URL) -> ClosedStore {
        ClosedStore(BinaryStore.self, ofType: "Binary", at: url)
    }

    @Test func `is moved without a graph`() throws {
        let old = try stores.makeFile("old", itemCount: 6)
        let new = stores.folder.file("new")

        try closed(old).move(to: new)

        #expect(!FileManager.default.fileExists(atPath: old.path))
        #expect(try stores.itemCount(of: new) == 6)
    }

    @Test func `is replaced without a graph`() throws {
        let old = try stores.makeFile("old", itemCount: 6)
        let source = try stores.makeFile("source", itemCount: 8)

        try closed(old).replace(withCopyOf: closed(source))

        #expect(try stores.itemCount(of: old) == 8)
        #expect(try stores.itemCount(of: source) == 8)
    }

    @Test func `is removed with all of its files`() throws {
        let file = try stores.makeFile("store", itemCount: 6)

        try closed(file).remove()

        #expect(try stores.names() == [])
    }

    @Test func `is not removed if it is a file of another kind`() throws {
        let file = stores.folder.file("letter")
        try Data("a letter".utf8).write(to: file)

        let error = #expect(throws: StoreError.self) { try closed(file).remove() }

        guard case .notAStore? = error else {
            Issue.record("not said to be no store: \(error as Any)")
            return
        }
        #expect(try stores.names() == ["letter"])
    }
}
