import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

@Suite struct `A whole file` {
    @Test(arguments: CounterStore.typeNames)
    func `is readable only by its owner, and leaves no other files`(_ type: String) throws {
        let counters = try CounterStore(type)

        let store = try counters.open()
        try counters.insert(store, counters.row(store, 1, value: 7))
        try store.close()

        #expect(try counters.mode() == 0o600)
        #expect(try counters.files() == ["counters"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `keeps its mode through saves`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o664], ofItemAtPath: counters.file.path)

        try counters.insert(store, counters.row(store, 1, value: 7))

        #expect(try counters.mode() == 0o664)
    }

    @Test(arguments: CounterStore.typeNames)
    func `is written to the target of a symbolic link, which stays a link`(_ type: String) throws {
        let counters = try CounterStore(type)
        let target = counters.folder.appending(path: "elsewhere")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: counters.file.path, withDestinationPath: "elsewhere/real")

        let store = try counters.open()
        try counters.insert(store, counters.row(store, 1, value: 7))
        try store.close()

        let link = try FileManager.default.destinationOfSymbolicLink(atPath: counters.file.path)
        #expect(link == "elsewhere/real")
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["real"])
        #expect(try counters.rows(counters.open()).count == 1)
    }

    @Test(arguments: CounterStore.typeNames)
    func `is unchanged when a process dies with a prepared save`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        try counters.insert(store, counters.row(store, 1, value: 7))
        let before = try Data(contentsOf: counters.file)

        let other = try counters.worker("prepare")
        #expect(other.line() == "prepared")
        let during = try counters.files()
        other.killNow()

        #expect(during.count == 3)
        #expect(try Data(contentsOf: counters.file) == before)
        try counters.insert(store, counters.row(store, 3, value: 3))
        try store.close()
        let reopened = try counters.open()
        #expect(try counters.rows(reopened).map(\.key) == [1, 3])
        #expect(try counters.files() == ["counters"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `is unchanged when a save is rolled back`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        let before = try Data(contentsOf: counters.file)

        let transaction = try store.beginSave()
        try transaction.prepare(
            SaveRequest(inserted: RowBatch([counters.row(store, 1, value: 7)])))
        transaction.rollback()

        #expect(try Data(contentsOf: counters.file) == before)
        #expect(try counters.files() == ["counters"])
        #expect(try counters.rows(store).isEmpty)
    }

    @Test(arguments: CounterStore.typeNames)
    func `is unchanged when there is no room for a save`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        try counters.insert(store, counters.row(store, 1, value: 7))
        let before = try Data(contentsOf: counters.file)

        let other = try counters.worker("outgrow", 200_000)

        #expect(other.line()?.hasPrefix("refused: ") == true)
        #expect(other.end() == .code(0))
        #expect(try Data(contentsOf: counters.file) == before)
        #expect(try counters.files() == ["counters"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `is not left behind if creating it fails`(_ type: String) throws {
        let counters = try CounterStore(type)
        let missing = counters.beside("none")
        try FileManager.default.createSymbolicLink(
            atPath: counters.file.path, withDestinationPath: missing.path + "/counters")

        #expect(throws: StoreError.self) { try counters.open() }

        #expect(try counters.files() == ["counters"])
    }
}
