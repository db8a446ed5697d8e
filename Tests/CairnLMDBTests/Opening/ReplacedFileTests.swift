import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// An open store's file is removed, renamed or replaced, or gets a second name.
@Suite(.serialized) struct `An LMDB store whose file changes its name` {
    /// What happens to the file of an open store.
    enum Event: String, CaseIterable, Sendable {
        case removed, renamed, replaced, replacedByLink
    }

    @Test(arguments: Event.allCases)
    func `can still be read, and refuses saves with the reason`(_ event: Event) throws {
        let subject = try ReplaceableStore()
        let store = try subject.fixture.open()
        try subject.insert(2, store)
        let held = try store.snapshot()

        try subject.cause(event)

        #expect(try subject.refusal { _ = try store.beginSave() } == event)
        #expect(try subject.keys(held) == [1, 2])
        #expect(try subject.keys(store.snapshot()) == [1, 2])
        #expect(try subject.replacementIsUntouched(event))
    }

    @Test(arguments: Event.allCases)
    func `refuses to commit a save that was prepared before`(_ event: Event) throws {
        let subject = try ReplaceableStore()
        let store = try subject.fixture.open()
        let save = try store.beginSave()
        let tag = try subject.fixture.entity("Tag").number
        _ = try save.reserveKeys([tag: 10])
        try save.prepare(SaveRequest(inserted: RowBatch([subject.row(2, store)])))

        try subject.cause(event)

        #expect(try subject.refusal { _ = try save.commit() } == event)
        save.rollback()
        #expect(try subject.keys(store.snapshot()) == [1])
        #expect(try subject.replacementIsUntouched(event))
        // The lock was released.
        #expect(try subject.refusal { _ = try store.beginSave() } == event)
    }

    @Test func `saves again when the file has its name back`() throws {
        let subject = try ReplaceableStore()
        let store = try subject.fixture.open()
        try subject.cause(.renamed)
        #expect(try subject.refusal { _ = try store.beginSave() } == .renamed)

        try FileManager.default.moveItem(at: subject.aside, to: subject.file)

        try subject.insert(2, store)
        try store.close()
        #expect(try subject.keys(subject.fixture.open().snapshot()) == [1, 2])
    }

    @Test func `does not switch to the replacing file after a failed write`() throws {
        let subject = try ReplaceableStore()
        let store = try subject.fixture.open()
        let save = try store.beginSave()
        try save.prepare(SaveRequest(inserted: RowBatch([subject.row(2, store)])))
        try OpenDescriptors(of: subject.file).fill(.metaPage)
        #expect(throws: StoreError.self) { try save.commit() }
        try subject.cause(.replaced)
        save.rollback()

        #expect(try subject.refusal { _ = try store.beginSave() } == .replaced)
        #expect(try subject.refusal { _ = try store.snapshot() } == .replaced)
        #expect(try subject.replacementIsUntouched(.replaced))
    }

    @Test func `is recognised by its location, even if that is a symbolic link`() throws {
        let subject = try ReplaceableStore()
        let link = subject.fixture.folder.file("link")
        let files = FileManager.default
        try files.createSymbolicLink(at: link, withDestinationURL: subject.file)
        let store = try subject.open(link)
        try subject.insert(2, store)

        try files.removeItem(at: link)
        try files.createSymbolicLink(at: link, withDestinationURL: subject.replacement)

        #expect(try subject.refusal { _ = try store.beginSave() } == .replaced)
        #expect(try subject.replacementIsUntouched(.removed))
    }

    // MARK: The replacing file

    @Test func `is not opened by this process together with the file that replaced it`() throws {
        let subject = try ReplaceableStore()
        let old = try subject.fixture.open()
        try subject.cause(.replaced)

        let error = #expect(throws: StoreError.self) { try subject.fixture.open() }
        guard case .locked? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try subject.replacementIsUntouched(.replaced))

        try old.close()
        let new = try subject.fixture.open()
        #expect(try subject.keys(new.snapshot()) == [1])
        try subject.insert(5, new)
    }

    @Test func `keeps other processes from opening the file that replaced it`() throws {
        let subject = try ReplaceableStore()
        // Gives the two files different save counters.
        let store = try subject.fixture.open()
        for key in Int64(2)...6 { try subject.insert(key, store) }
        try store.close()
        let other = try WorkerProcess("library", "hold", subject.file.path)
        #expect(other.line()?.hasPrefix("holding") == true)
        try subject.cause(.replaced)

        let error = #expect(throws: StoreError.self) { try subject.fixture.open() }
        guard case .locked? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try subject.replacementIsUntouched(.replaced))

        other.killNow()
        let new = try subject.fixture.open()
        try subject.insert(5, new)
        #expect(try subject.keys(new.snapshot()) == [1, 5])
    }

    // MARK: Hard links

    @Test func `is opened only for reading while it has two names`() throws {
        let subject = try ReplaceableStore()
        try FileManager.default.linkItem(at: subject.file, to: subject.aside)

        try expectHardLinked { _ = try subject.fixture.open() }
        try expectHardLinked { _ = try subject.open(subject.aside) }
        for file in [subject.file, subject.aside] {
            let reader = try subject.open(file, readOnly: true)
            let snapshot = try reader.snapshot()
            #expect(try subject.keys(snapshot) == [1])
            // Users of the other name would not see this reader in the lock file.
            #expect(try snapshot.keepsOthersFromSaving())
        }

        try FileManager.default.removeItem(at: subject.aside)
        try subject.insert(2, subject.fixture.open())
    }

    @Test func `is not saved to after it gets a second name`() throws {
        let subject = try ReplaceableStore()
        let store = try subject.fixture.open()
        try FileManager.default.linkItem(at: subject.file, to: subject.aside)

        try expectHardLinked { _ = try store.beginSave() }
        #expect(try subject.keys(store.snapshot()) == [1])

        try FileManager.default.removeItem(at: subject.aside)
        try subject.insert(2, store)
    }

    private func expectHardLinked(_ body: () throws -> Void) throws {
        let error = #expect(throws: StoreError.self, performing: body)
        guard case .hardLinked(_, linkCount: 2)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}

/// A store with one tag, and a copy of the store that can replace it.
private struct ReplaceableStore {
    let fixture: LMDBFixture
    let replacement: URL
    private let replacementBytes: Data

    var file: URL { fixture.file }
    /// The path to which the file is renamed.
    var aside: URL { fixture.folder.file("aside") }

    init() throws {
        fixture = try LMDBFixture()
        replacement = fixture.folder.file("replacement")
        let store = try fixture.open()
        try fixture.insert(store, [fixture.row(store, "Tag", 1)])
        try store.close()
        try FileManager.default.copyItem(at: fixture.file, to: replacement)
        replacementBytes = try Data(contentsOf: replacement)
    }

    func open(_ file: URL, readOnly: Bool = false) throws -> LMDBStore {
        try LMDBStore.open(
            OpenRequest(
                location: .file(file), model: fixture.model, layouts: fixture.layouts,
                isReadOnly: readOnly, createsMissing: false))
    }

    func row(_ key: Int64, _ store: LMDBStore) throws -> Row { try fixture.row(store, "Tag", key) }

    func insert(_ key: Int64, _ store: LMDBStore) throws {
        try fixture.insert(store, [row(key, store)])
    }

    func keys(_ snapshot: any StoreSnapshot) throws -> [Int64] {
        try fixture.fetch(snapshot, FetchPlan(entity: fixture.entity("Tag"))).map(\.key)
    }

    func cause(_ event: `An LMDB store whose file changes its name`.Event) throws {
        switch event {
        case .removed: #expect(unlink(file.path) == 0)
        case .renamed: #expect(rename(file.path, aside.path) == 0)
        case .replaced: #expect(rename(replacement.path, file.path) == 0)
        case .replacedByLink:
            #expect(unlink(file.path) == 0)
            #expect(link(replacement.path, file.path) == 0)
        }
    }

    /// Returns the event that the thrown error reports.
    func refusal(
        _ body: () throws -> Void
    ) throws -> `An LMDB store whose file changes its name`.Event? {
        let there = FileManager.default.fileExists(atPath: aside.path)
        switch try #require(throws: StoreError.self, performing: body) {
        case .fileRemoved: return there ? .renamed : .removed
        case .fileReplaced:
            return FileManager.default.fileExists(atPath: replacement.path)
                && isLinked ? .replacedByLink : .replaced
        case let error:
            Issue.record("\(error)")
            return nil
        }
    }

    private var isLinked: Bool {
        var status = stat()
        return stat(replacement.path, &status) == 0 && status.st_nlink > 1
    }

    func replacementIsUntouched(
        _ event: `An LMDB store whose file changes its name`.Event
    ) throws -> Bool {
        try Data(contentsOf: event == .replaced ? file : replacement) == replacementBytes
    }
}
