import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

@testable import CairnFiles

@Suite struct `Publishing a new whole-file store` {
    @Test func `never gives the file two names, in any engine`() throws {
        // The moment itself need not be observed: a file that is never linked never has two names.
        for type in CounterStore.typeNames {
            let counters = try CounterStore(type)
            try counters.open().close()
            #expect(try OpenedFile(at: counters.file.path).name() == .theFile(linkCount: 1))
        }
    }
}

@Suite struct `A whole-file store` {
    @Test(arguments: CounterStore.typeNames, [true, false])
    func `does not replace a file that another program put there during the save`(
        _ type: String, _ isReplaced: Bool
    ) throws {
        let counters = try CounterStore(type)
        let another = try CounterStore(type)
        let store = try counters.open()
        try another.open().close()
        let save = try store.beginSave()
        try save.prepare(
            SaveRequest(inserted: RowBatch([try counters.row(store, 1, value: 7)])))
        try FileManager.default.removeItem(at: counters.file)
        if isReplaced {
            try FileManager.default.copyItem(at: another.file, to: counters.file)
        }
        let before = try? Data(contentsOf: counters.file)

        let error = #expect(throws: StoreError.self) { _ = try save.commit() }
        save.rollback()

        switch error {
        case .fileReplaced? where isReplaced, .fileRemoved? where !isReplaced: break
        default: Issue.record("\(String(describing: error))")
        }
        #expect((try? Data(contentsOf: counters.file)) == before)
    }

    @Test(arguments: CounterStore.typeNames)
    func `is not saved to if it gets another name during the save`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        try counters.insert(store, counters.row(store, 1, value: 1))
        let alias = counters.beside("alias")
        let save = try store.beginSave()
        try save.prepare(SaveRequest(inserted: RowBatch([counters.row(store, 2, value: 2)])))
        #expect(link(counters.file.path, alias.path) == 0)

        let error = #expect(throws: StoreError.self) { _ = try save.commit() }
        save.rollback()
        #expect(unlink(alias.path) == 0)
        try counters.insert(store, counters.row(store, 3, value: 3))

        guard case .hardLinked(_, linkCount: 2)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try counters.rows(store).map(\.key).sorted() == [1, 3])
    }

    @Test(arguments: CounterStore.typeNames)
    func `is opened if the other name was left by a killed process`(_ type: String) throws {
        let counters = try CounterStore(type)
        try counters.open().close()
        // The state between linking and unlinking, on a file system that cannot refuse to replace a file.
        let leftover = counters.beside(".\(counters.file.lastPathComponent).saving-abcdefg")
        #expect(link(counters.file.path, leftover.path) == 0)

        let store = try counters.open()
        try counters.insert(store, counters.row(store, 1, value: 1))

        #expect(access(leftover.path, F_OK) != 0)
    }
}
