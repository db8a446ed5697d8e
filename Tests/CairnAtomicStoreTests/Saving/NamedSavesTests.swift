import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

@Suite struct `Named saves of a whole-file store` {
    private static let name = "CairnNamedSaves"

    private func save(_ counters: CounterStore, _ store: any PersistentStore, _ id: SaveID?) throws
    {
        var request = SaveRequest(metadata: ["round": 1])
        request.id = id
        try counters.save(store, request)
    }

    private func bytes(_ counters: CounterStore) throws -> Data {
        try Data(contentsOf: counters.file)
    }

    @Test(arguments: CounterStore.typeNames)
    func `leave no trace in a store without named saves`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()

        try save(counters, store, nil)
        #expect(try store.outcome(of: SaveID()) == .notSaved)
        let before = try bytes(counters)
        try save(counters, store, SaveID())

        #expect(before.range(of: Data(Self.name.utf8)) == nil)
        #expect(try bytes(counters).range(of: Data(Self.name.utf8)) != nil)
    }

    @Test(arguments: CounterStore.typeNames)
    func `stay in a store that is saved to without names`(_ type: String) throws {
        let counters = try CounterStore(type)
        let id = SaveID()
        let store = try counters.open()
        try save(counters, store, id)

        try save(counters, counters.open(), nil)

        #expect(try store.outcome(of: id) == .saved)
        #expect(try store.metadata().values == ["round": 1])
        #expect(try counters.engine.metadata(at: .file(counters.file)).values == ["round": 1])
    }

    @Test func `that are damaged in an XML file are refused`() throws {
        let counters = try CounterStore("XML")
        let store = try counters.open()
        try save(counters, store, SaveID())
        try store.close()
        let text = try String(contentsOf: counters.file, encoding: .utf8)
        let start = try #require(text.range(of: "<key>\(Self.name)</key>"))
        let data = try #require(text.range(of: "<data>", range: start.upperBound..<text.endIndex))
        var damaged = text.replacingCharacters(in: data.upperBound..<data.upperBound, with: "AAAA")
        // Without a checksum, the file is treated as edited by a person.
        let comment = try #require(damaged.range(of: "<!--", options: .backwards))
        damaged.removeSubrange(comment.lowerBound...)
        try Data(damaged.utf8).write(to: counters.file)

        let error = try #require(throws: StoreError.self) { try counters.open() }

        guard case .corrupt(_, let position, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(position.contains(Self.name))
    }
}
