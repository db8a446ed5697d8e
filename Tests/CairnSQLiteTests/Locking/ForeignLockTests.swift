import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// A program that does not know Cairn's lock file, and holds only SQLite's own lock.
@Suite(.timeLimit(.minutes(1))) struct `While another program holds the lock of SQLite` {
    private let folder: TemporaryFolder
    private let request: OpenRequest

    init() throws {
        folder = try TemporaryFolder()
        request = OpenRequest(
            location: .file(folder.file("store.sqlite")),
            model: try ManagedObjectModel([EntityDescription("Item")]),
            options: [.timeout: .integer(20)])
    }

    private func program(_ sql: String) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: folder.file("store.sqlite").path, mode: .readWrite, location: request.location,
            busyTimeout: .zero)
        try connection.execute(sql)
        return connection
    }

    private func error(of body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test(arguments: [false, true])
    func `a cancelled save ends, whether or not an earlier save has opened its connection`(
        _ isOpened: Bool
    ) async throws {
        let subject = try SavingStore(request)
        if isOpened { try subject.insert(try subject.row("Item", 1)) }
        let other = try program("BEGIN IMMEDIATE")

        let error = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return self.error { _ = try subject.store.beginSave() }
        }.value
        let isHeld = other.isInTransaction
        try other.execute("COMMIT")
        try subject.insert(try subject.row("Item", 2))

        guard case .cancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(isHeld)
    }

    @Test func `a save ends at the deadline of its operation`() throws {
        let subject = try SavingStore(request)
        try subject.insert(try subject.row("Item", 1))
        let other = try program("BEGIN IMMEDIATE")

        let error = error {
            try StoreDeadline.with(.now + .milliseconds(50)) { () throws(StoreError) in
                _ = try subject.store.beginSave()
            }
        }

        guard case .deadlineExceeded? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(other.isInTransaction)
    }

    @Test func `a save does not wait again after it waited for earlier savers`() throws {
        let subject = try SavingStore(request)
        try subject.insert(try subject.row("Item", 1))
        let other = try program("BEGIN IMMEDIATE")
        let lock = try WriterLock(of: subject.store.session, timeout: .zero)
        let writer = try SQLiteConnection(
            path: subject.url.path, mode: .readWrite, location: request.location,
            busyTimeout: .seconds(3600))

        // This save has spent all of its time in the queue.
        let error = error {
            _ = try SQLiteSaveTransaction(
                of: subject.store, lock: lock,
                writer: SQLiteWriter(
                    connection: writer, computedRows: try writer.registerTriggerFunctions()))
        }

        guard case .busy(_, let waited)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(waited == .seconds(3600))
        #expect(other.isInTransaction)
    }

    @Test(arguments: [false, true])
    func `opening the store ends when its task is cancelled`(_ isReadOnly: Bool) async throws {
        try SavingStore(request).store.close()
        let other = try program("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        var request = request
        request.isReadOnly = isReadOnly

        let error = await Task { [request] in
            withUnsafeCurrentTask { $0?.cancel() }
            return self.error { _ = try SQLiteStore.open(request) }
        }.value

        guard case .cancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(other.isInTransaction)
    }
}
