import Cairn
import CairnCSQLite
import CairnTestSupport
import Foundation
import Testing

/// Runs the functions of docs/history.md, and compares them with the page.
@Suite struct `The page on history` {
    private static let functions = [
        "pushChanges", "pullNote", "updateIndex", "auditPage", "showChanges",
    ]

    /// Opens a store of notes that keeps a history.
    private func coordinator(
        _ type: StoreType, in folder: TemporaryFolder
    ) throws -> PersistentStoreCoordinator {
        var title = AttributeDescription("title", .string)
        title.preservesValueInHistoryOnDeletion = true
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([
                EntityDescription("Note", [.attribute(title)])
            ]))
        try coordinator.addPersistentStore(
            ofType: type, at: folder.file("Notes"), options: [.tracksHistory: true])
        return coordinator
    }

    private func save(
        _ coordinator: PersistentStoreCoordinator, _ author: String,
        _ change: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            context.transactionAuthor = author
            try change(context)
            try context.save()
        }
    }

    private func insert(_ titles: [String], _ coordinator: PersistentStoreCoordinator) throws {
        try save(coordinator, "ann") { context in
            for title in titles {
                let note = try context.insertNewObject(forEntityName: "Note")
                try note.setValue(title, forKey: "title")
            }
        }
    }

    @Sendable private static func note(
        _ title: String, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        try #require(
            try context.fetch(FetchRequest<ManagedObject>("Note", where: "title == '\(title)'"))
                .first { _ in true })
    }

    @Test func `shows functions that these tests run`() throws {
        let source = try Repository.text("Tests/CairnToolTests/HistoryWalk.swift")
        let blocks = try PageBlock.all(of: "docs/history.md").filter {
            $0.title == "swift" && $0.text.hasPrefix("func ")
        }

        let names = blocks.compactMap { $0.lines[0].dropFirst(5).split(separator: "(").first }

        #expect(names.map(String.init) == Self.functions)
        for block in blocks { #expect(source.contains(block.text), "\(block.lines[0])") }
    }

    @Test(arguments: [StoreType.sqlite, .lmdb, .xml])
    func `sends what was changed here to a server, once`(_ type: StoreType) throws {
        let folder = try TemporaryFolder()
        let coordinator = try coordinator(type, in: folder)
        try insert(["a", "b"], coordinator)
        var sent: [PersistentHistoryChange] = []

        var token = try pushChanges(of: coordinator, after: nil) { sent += $0 }
        try pullNote("c", into: coordinator)
        try save(coordinator, "ben") { try Self.note("a", $0).setValue("d", forKey: "title") }
        token = try pushChanges(of: coordinator, after: token) { sent += $0 }
        token = try pushChanges(of: coordinator, after: token) { sent += $0 }

        #expect(sent.map(\.changeType) == [.insert, .insert, .update])
        #expect(token == (try coordinator.currentPersistentHistoryToken()))
    }

    @Test(arguments: [StoreType.sqlite, .lmdb, .binary])
    func `keeps a full-text index of a store of any engine`(_ type: StoreType) throws {
        let folder = try TemporaryFolder()
        let coordinator = try coordinator(type, in: folder)
        let index = try TextIndex(at: folder.file("index.sqlite"))
        try index.run("CREATE VIRTUAL TABLE notes USING fts5(uri UNINDEXED, title)")
        try index.run("CREATE TABLE progress (token)")
        func found(_ word: String) throws -> [String] {
            try index.run("SELECT title FROM notes WHERE notes MATCH ? ORDER BY title", word)
                .compactMap(\.first)
        }

        try insert(["red apple", "green apple", "pear"], coordinator)
        try updateIndex(index, of: coordinator)
        let first = try found("apple")
        try save(coordinator, "ben") { context in
            try Self.note("pear", context).setValue("apple pie", forKey: "title")
            try context.delete(Self.note("red apple", context))
        }
        try updateIndex(index, of: coordinator)
        try updateIndex(index, of: coordinator)

        #expect(first == ["green apple", "red apple"])
        #expect(try found("apple") == ["apple pie", "green apple"])
        #expect(try found("pear") == [])
    }

    @Test func `shows who changed what`() throws {
        let folder = try TemporaryFolder()
        let coordinator = try coordinator(.lmdb, in: folder)
        try insert(["a"], coordinator)
        try save(coordinator, "ben") { try Self.note("a", $0).setValue("b", forKey: "title") }
        try save(coordinator, "cleo") { try $0.delete(Self.note("b", $0)) }

        let page = try auditPage(of: coordinator)

        #expect(page == ["ann insert Note", "ben update Note title", "cleo delete Note b"])
    }

    @Test func `shows in a context what another coordinator saves`() async throws {
        let folder = try TemporaryFolder()
        let shown = try coordinator(.sqlite, in: folder)
        let other = try coordinator(.sqlite, in: folder)
        try insert(["a"], other)
        let handle = ContextHandle(coordinator: shown)
        let id = try handle.performAndWait { try Self.note("a", $0).objectID }
        let token = try shown.currentPersistentHistoryToken()
        let (titles, continuation) = AsyncStream<String>.makeStream()
        let following = Task {
            try await showChanges(of: shown, after: token, in: handle) { context in
                let title = try context.existingObject(with: id).value(forKey: "title") as? String
                continuation.yield(title ?? "")
            }
        }
        try save(other, "ben") { try Self.note("a", $0).setValue("b", forKey: "title") }
        var iterator = titles.makeAsyncIterator()
        let seen = await iterator.next()
        following.cancel()
        try await following.value

        #expect(seen == "b")
    }

    @Test func `shows transactions that the tool prints as well`() throws {
        let folder = try TemporaryFolder()
        let coordinator = try coordinator(.lmdb, in: folder)
        try insert(["a"], coordinator)

        let output = try ToolRun(["store", "history", folder.file("Notes").path])

        #expect(output.text.contains("author ann"))
        #expect(output.text.contains("    insert Note"))
    }
}

/// A connection to a SQLite database, which runs SQL with texts.
final class TextIndex {
    struct Failure: Error { let message: String }

    private var database: OpaquePointer?

    init(at url: URL) throws {
        guard sqlite3_open(url.path, &database) == SQLITE_OK else { throw failure }
    }

    deinit { sqlite3_close(database) }

    private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(database))) }

    /// Runs a statement, and returns the columns of its rows.
    @discardableResult func run(_ sql: String, _ values: String...) throws -> [[String]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            throw failure
        }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            sqlite3_bind_text(
                statement, Int32(index) + 1, value, -1, cairn_sqlite_transient())
        }
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { column in
                        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                    })
            case SQLITE_DONE: return rows
            default: throw failure
            }
        }
    }
}
