import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

@Suite struct `Whole files used by several processes` {
    @Test(arguments: CounterStore.typeNames)
    func `lose no save of processes that save at the same time`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open(options: [.timeout: 60])
        try counters.insert(store, counters.row(store, 1, value: 0))

        let others = try (0..<3).map { _ in try counters.worker("count", 30) }
        for _ in 0..<30 { try counters.increment(store, 1) }

        #expect(others.map { $0.end() } == [.code(0), .code(0), .code(0)])
        let row = try #require(try counters.rows(store).first)
        #expect(try counters.value(of: row) == 120)
        #expect(row.version == 121)
        try store.close()
        let reopened = try #require(try counters.rows(counters.open()).first)
        #expect(try counters.value(of: reopened) == 120)
    }

    @Test(arguments: CounterStore.typeNames)
    func `wait for another process's save, but no longer than the timeout`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open(options: [.timeout: 0.05])
        let other = try counters.worker("prepare")
        #expect(other.line() == "prepared")

        let error = #expect(throws: StoreError.self) { _ = try store.beginSave() }
        other.killNow()

        guard case .busy? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try counters.insert(store, counters.row(store, 1, value: 7))
    }

    @Test(arguments: CounterStore.typeNames)
    func `show what another has saved, with a later generation`(_ type: String) throws {
        let counters = try CounterStore(type)
        let (store, other) = (try counters.open(), try counters.open())
        let before = try store.snapshot()

        try counters.insert(other, counters.row(other, 1, value: 7))
        let after = try store.snapshot()

        #expect(after.generation > before.generation)
        let plan = FetchPlan(entity: try #require(counters.model.entity(named: "Counter")))
        #expect(try before.count(plan) == 0)
        #expect(try after.count(plan) == 1)
    }

    @Test(arguments: CounterStore.typeNames)
    func `refuse a change of a row that another process has changed`(_ type: String) throws {
        let counters = try CounterStore(type)
        let (store, other) = (try counters.open(), try counters.open())
        try counters.insert(store, counters.row(store, 1, value: 7))
        try counters.increment(other, 1)

        let stale = RowUpdate(
            row: try counters.row(store, 1, version: 2, value: 100), previousVersion: 1,
            changedSlots: [0])
        let error = #expect(throws: StoreError.self) {
            try counters.save(store, SaveRequest(updated: [stale]))
        }

        guard case .rowConflicts(let conflicts)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(conflicts.map(\.stored?.version) == [2])
        #expect(try counters.value(of: try #require(try counters.rows(store).first)) == 8)
    }

    @Test(arguments: CounterStore.typeNames)
    func `are not saved over another store that replaced theirs`(_ type: String) throws {
        let counters = try CounterStore(type)
        let another = try CounterStore(type)
        let store = try counters.open()
        try another.open().close()
        try FileManager.default.removeItem(at: counters.file)
        try FileManager.default.copyItem(at: another.file, to: counters.file)
        let before = try Data(contentsOf: counters.file)

        #expect(throws: StoreError.self) {
            try counters.insert(store, counters.row(store, 1, value: 7))
        }

        #expect(try Data(contentsOf: counters.file) == before)
        #expect(try counters.files() == ["counters"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `are not created again by a save after they are removed`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        try FileManager.default.removeItem(at: counters.file)

        let error = #expect(throws: StoreError.self) { _ = try store.beginSave() }

        guard case .fileRemoved? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try counters.files().isEmpty)
    }
}
