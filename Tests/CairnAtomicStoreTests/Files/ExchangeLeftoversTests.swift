import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

@testable import CairnFiles

@Suite struct `A whole-file store after a process was killed while it replaced the file` {
    /// A store whose file was replaced by another store's file. A save was then killed after it had exchanged
    /// that other file for its own.
    private struct Killed {
        let counters: CounterStore
        let store: any PersistentStore
        let other: Data

        init(_ type: String) throws {
            counters = try CounterStore(type)
            store = try counters.open()
            try counters.insert(store, counters.row(store, 1, value: 7))
            let file = DurableFile(counters.file)
            let expected = try #require(try file.stamp())
            let new = counters.beside("new").path
            try FileManager.default.copyItem(atPath: file.path, toPath: new)
            let another = try CounterStore(type)
            try another.open().close()
            other = try Data(contentsOf: another.file)
            try PosixFile.write(other, toNew: counters.beside("other").path)
            #expect(rename(counters.beside("other").path, file.path) == 0)
            let exchange = FileExchange(of: try FileStamp(named: new), for: expected, at: file)
            #expect(rename(new, exchange.path) == 0)
            #expect(try PosixFile.exchange(exchange.path, file.path))
            // The lock file that the killed process left.
            try PosixFile.write(Data(), toNew: file.path + "-lock")
        }
    }

    @Test(arguments: CounterStore.typeNames)
    func `puts the other file back when it is opened`(_ type: String) throws {
        let killed = try Killed(type)

        let opened = try killed.counters.open()

        #expect(try Data(contentsOf: killed.counters.file) == killed.other)
        #expect(try killed.counters.rows(opened).isEmpty)
        #expect(try killed.counters.files() == ["counters"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `puts the other file back when a process that has the store open saves`(_ type: String)
        throws
    {
        let killed = try Killed(type)

        let error = #expect(throws: StoreError.self) {
            try killed.counters.insert(killed.store, killed.counters.row(killed.store, 2, value: 8))
        }

        guard case .fileReplaced? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: killed.counters.file) == killed.other)
        #expect(try killed.counters.files() == ["counters"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `puts the other file back before exclusive use`(_ type: String) throws {
        let killed = try Killed(type)
        try killed.store.close()

        try killed.counters.engine.withExclusiveUse(of: .file(killed.counters.file)) {
            () throws(StoreError) in
            // The lock must be held on the other file.
            #expect((try? DurableFile(killed.counters.file).hold())?.lock(isShared: true) == false)
        }

        #expect(try Data(contentsOf: killed.counters.file) == killed.other)
        #expect(try killed.counters.files() == ["counters"])
    }
}
