import Cairn
import CairnModel
import CairnStore
import Foundation
import SocketStoreSupport
import Testing

@Suite struct `Socket store whose server is gone` {
    private let library: SongLibrary

    init() throws { library = try SongLibrary() }

    @Test func `reports it, and continues with the next server`() throws {
        let store = try library.open()
        try store.insertSongs(3)
        let snapshot = try store.snapshot()
        library.kill()

        let lost = #expect(throws: StoreError.self) { try store.snapshot() }
        let unreachable = #expect(throws: StoreError.self) { try store.beginSave() }
        try library.restart()
        try store.insertSongs(1)
        let old = #expect(throws: StoreError.self) { try store.songCount(in: snapshot) }

        for error in [lost, unreachable, old] {
            guard case .engineFailure(let failure)? = error else {
                Issue.record("\(error as Any)")
                continue
            }
            #expect(failure.isTransient)
            #expect(failure.location == store.request.location)
        }
        #expect(try store.songCount() == 4)
        try library.server.end()
    }

    @Test func `loses only the current save`() throws {
        let store = try library.open()
        try store.insertSongs(2)
        let song = try store.song.number
        let save = try store.beginSave()
        let keys = try #require(try save.reserveKeys([song: 1])[song])
        try save.prepare(SaveRequest(inserted: try store.songs(keys)))
        library.kill()

        let error = #expect(throws: StoreError.self) { try save.commit() }
        save.rollback()
        try library.restart()

        // The request did not reach the server, so the outcome is known.
        #expect(error?.isTransient == true)
        #expect(try store.songCount() == 2)
        try store.insertSongs(1)
        try library.server.end()
    }

    @Test func `is not opened at a path where nobody listens`() throws {
        library.kill()

        let error = #expect(throws: StoreError.self) { try library.open() }

        #expect(error?.isTransient == true)
    }

    @Test func `refuses another store that has its name`() throws {
        let store = try library.open()
        library.kill()
        for name in ["songs", "songs-lock"] {
            try FileManager.default.removeItem(at: library.server.folder.appending(path: name))
        }
        try library.restart()
        _ = try library.open()
        _ = try? store.snapshot()

        let error = #expect(throws: StoreError.self) { try store.snapshot() }

        #expect("\(error as Any)".contains("another store has this name now"))
    }

    @Test func `leaves no process and no socket when the server is told to end`() throws {
        let store = try library.open()
        try store.insertSongs(1)

        try library.server.end()

        #expect(!FileManager.default.fileExists(atPath: library.server.folder.path))
        try store.close()
        let error = #expect(throws: StoreError.self) { try store.snapshot() }
        guard case .closed? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }
}

@Suite struct `A save whose connection is cut` {
    @Test(arguments: MessageCut.ofSave)
    func `happens once or not at all, and the program learns the true outcome`(_ cut: MessageCut)
        throws
    {
        let library = try SongLibrary()
        let store = try library.open()
        try store.insertSongs(2)
        library.traffic.startCounting()
        library.traffic.cut(cut.cut, afterMessages: cut.index)

        let id = SaveID()
        let error = #expect(throws: StoreError.self) { try store.insertSongs(5, id) }
        let outcome = try store.outcome(of: id)
        let count = try store.songCount()

        #expect(outcome == (count == 7 ? .saved : .notSaved))
        #expect(!library.traffic.isCutPending)
        #expect(library.traffic.operations[cut.index] == cut.message)
        switch error {
        case .engineFailure(let failure)?:
            #expect(failure.isTransient)
            #expect(count == 2 && !cut.mayHaveCommitted)
        case .commitOutcomeUnknown?:
            #expect((count == 2 || count == 7) && cut.mayHaveCommitted)
            if cut.cut == .beforeAnswer { #expect(count == 7) }
        default: Issue.record("\(error as Any)")
        }
        // A call that failed with a transient error succeeds when it is repeated.
        try store.insertSongs(1)
        #expect(try store.songCount() == count + 1)
        try library.server.end()
    }

    @Test(arguments: MessageCut.ofSave)
    func `of a context happens once, and the context learns that it did`(_ cut: MessageCut) throws {
        let library = try SongLibrary()
        let coordinator = try library.coordinator()
        let traffic = library.traffic
        let handle = ContextHandle(coordinator: coordinator)

        try handle.performAndWait { context in
            try context.insertNewObject(forEntityName: "Song").setValue("dawn", forKey: "title")
            traffic.startCounting()
            traffic.cut(cut.cut, afterMessages: cut.index)
            try context.save()
        }

        #expect(!traffic.isCutPending)
        #expect(traffic.operations[cut.index] == cut.message)
        #expect(try library.open().songCount() == 1)
        let count = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.count(for: FetchRequest<ManagedObject>("Song"))
        }
        #expect(count == 1)
        try library.server.end()
    }

    @Test func `ends by its deadline, and then holds no lock`() throws {
        let library = try SongLibrary()
        let store = try library.open()
        let other = try library.open()
        let save = try other.beginSave()

        let error = #expect(throws: StoreError.self) {
            try StoreDeadline.with(.now + .milliseconds(50)) { () throws(StoreError) in
                _ = try store.beginSave()
            }
        }
        save.rollback()
        try other.insertSongs(1)
        try store.insertSongs(1)

        guard case .deadlineExceeded? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(try store.songCount() == 2)
        try library.server.end()
    }

    @Test func `releases the lock to another client`() throws {
        let library = try SongLibrary()
        let store = try library.open()
        let other = try library.open()
        let save = try store.beginSave()
        let songs = try store.songs(1..<4)
        library.traffic.cut(.beforeAnswer, afterMessages: 0)

        #expect(throws: StoreError.self) { try save.prepare(SaveRequest(inserted: songs)) }
        try other.insertSongs(1)

        #expect(try other.songCount() == 1)
        try library.server.end()
    }
}
