import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

@Suite struct `Keys of a save that was rolled back` {
    private func reserve(
        _ counters: CounterStore, _ store: any PersistentStore, _ count: Int = 1
    ) throws -> Range<Int64> {
        let root = try #require(counters.model.entity(named: "Counter")).number
        let save = try store.beginSave()
        defer { save.rollback() }
        return try #require(try save.reserveKeys([root: count])[root])
    }

    @Test(arguments: CounterStore.typeNames)
    func `are not reused by the next handle, nor by an open one`(_ type: String) throws {
        let counters = try CounterStore(type)
        let (first, other) = (try counters.open(), try counters.open())

        let rolledBack = try reserve(counters, first, 5)
        try first.close()

        #expect(rolledBack == 1..<6)
        #expect(try reserve(counters, other) == 6..<7)
        #expect(try reserve(counters, counters.open()) == 7..<8)
    }

    @Test(arguments: CounterStore.typeNames)
    func `are recorded in a file next to the store until a save commits`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()

        _ = try reserve(counters, store, 5)
        #expect(try counters.files() == ["counters", "counters-keys"])
        try counters.insert(store, counters.row(store, 6, value: 1))

        #expect(try counters.files() == ["counters"])
        #expect(try reserve(counters, counters.open()) == 7..<8)
    }

    @Test(arguments: CounterStore.typeNames)
    func `leave no file if none were reserved`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()

        try store.beginSave().rollback()

        #expect(try counters.files() == ["counters"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `of another store are ignored`(_ type: String) throws {
        let (counters, others) = (try CounterStore(type), try CounterStore(type))
        _ = try reserve(others, others.open(), 50)
        let store = try counters.open()

        try FileManager.default.copyItem(
            atPath: others.file.path + "-keys", toPath: counters.file.path + "-keys")

        #expect(try reserve(counters, store) == 1..<2)
    }

    @Test(arguments: CounterStore.typeNames)
    func `are refused if they are damaged`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        _ = try reserve(counters, store, 5)
        let record = URL(fileURLWithPath: counters.file.path + "-keys")
        var bytes = try Data(contentsOf: record)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: record)

        let refusal = #expect(throws: StoreError.self) { try store.beginSave() }

        guard case .corrupt(_, let position, _) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(position.hasSuffix("counters-keys"))
    }

    @Test(arguments: CounterStore.typeNames)
    func `leave no temporary file of a process that died while writing them`(
        _ type: String
    ) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        let leftover = counters.beside(".counters-keys.saving-abcdefg")
        try Data("half".utf8).write(to: leftover)

        try counters.open().close()
        let afterOpening = try counters.files()
        try Data("half".utf8).write(to: leftover)
        // The lock file of the process that died.
        try Data().write(to: counters.beside("counters-lock"))
        try counters.insert(store, counters.row(store, 1, value: 7))

        #expect(afterOpening == ["counters"])
        #expect(try counters.files() == ["counters"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `are counted among the bytes of the store`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        let checked = try #require(store as? any SelfCheckingStore)
        let before = try #require(try checked.byteCount())

        _ = try reserve(counters, store, 5)

        let record = try Data(contentsOf: URL(fileURLWithPath: counters.file.path + "-keys"))
        #expect(try checked.byteCount() == before + record.count)
    }
}
