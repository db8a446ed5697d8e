import CairnPostgreSQL
import CairnModel
import CairnStore
import Dispatch
import Foundation
import PostgreSQLStoreSupport
import Synchronization
import Testing

@Suite(.enabled(if: PostgreSQLHarness.database != nil, "CAIRN_POSTGRESQL names no database"))
struct `Savers at the same time` {
    private let database = PostgreSQLHarness.database ?? URL(fileURLWithPath: "/")

    private func withBooks(_ body: (BookStore) throws -> Void) throws {
        let books = try BookStore(database)
        defer { try? books.end() }
        try body(books)
    }

    /// Runs the body on several threads, and rethrows the first error.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let errors = Mutex<[any Error]>([])
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread {
                do { try body(index) } catch { errors.withLock { $0.append(error) } }
                group.leave()
            }.start()
        }
        group.wait()
        if let error = errors.withLock({ $0.first }) { throw error }
    }

    @Test func `do not wait for a save of other objects that is not committed yet`() throws {
        try withBooks { books in
            let open = try books.preparedSave(["slow"])
            defer { open.rollback() }
            for title in ["a", "b", "c"] { try books.save([title], name: SaveID()) }
            let early = try books.count()
            _ = try open.commit()
            #expect(early == 3)
            #expect(try books.count() == 4)
        }
    }

    @Test
    func `are all told by a reader that follows the changes, each once and in states that grow`()
        throws
    {
        try withBooks { books in
            let other = try books.reopened()
            defer { other.close() }
            let isDone = Atomic(false)
            let seen = Mutex<[ObjectID]>([])
            let oddities = Mutex<[String]>([])
            let reader = DispatchGroup()
            let start = try books.store.snapshot()
            let entity = books.book
            let store = books.store
            reader.enter()
            Thread {
                var last: any StoreSnapshot = start
                while true {
                    let isLast = isDone.load(ordering: .acquiring)
                    guard let next = try? store.snapshot(),
                        let changes = try? next.changes(since: last.generation)
                    else { break }
                    let (old, new) = (last.generation, next.generation)
                    if new < old || (new == old) != changes.inserted.isEmpty {
                        oddities.withLock { $0.append("\(old) \(new) \(changes.inserted)") }
                    }
                    let books = changes.inserted.filter { $0.rootEntity == entity.number }
                    seen.withLock { $0 += books }
                    last.end()
                    last = next
                    if isLast { break }
                }
                last.end()
                reader.leave()
            }.start()
            let before = start.generation.rawValue
            let saver = books.saver()
            try onThreads(8) { index in
                for _ in 0..<25 { try saver.save(1, to: index.isMultiple(of: 2) ? store : other) }
            }
            isDone.store(true, ordering: .releasing)
            reader.wait()
            #expect(oddities.withLock { $0 } == [])
            let ids = seen.withLock { $0 }
            #expect(ids.count == 200)
            #expect(Set(ids).count == 200)
            #expect(try books.store.newestGeneration().rawValue == before + 200)
        }
    }

    @Test func `of the same objects, in any order, save or are refused, and none fails`() throws {
        try withBooks { books in
            let saver = books.saver()
            let store = books.store
            let ids = try saver.save(20, to: store)
            let saved = Atomic(0)
            let refused = Atomic(0)
            try onThreads(6) { _ in
                for _ in 0..<10 {
                    do {
                        try saver.touch(ids.shuffled().prefix(8), in: store)
                        saved.add(1, ordering: .relaxed)
                    } catch StoreError.rowConflicts {
                        refused.add(1, ordering: .relaxed)
                    }
                }
            }
            let snapshot = try store.snapshot()
            defer { snapshot.end() }
            let versions = try snapshot.rows(for: ids).rows.reduce(0) { $0 + Int($1.version) - 1 }
            #expect(versions == 8 * saved.load(ordering: .relaxed))
            #expect(saved.load(ordering: .relaxed) + refused.load(ordering: .relaxed) == 60)
        }
    }

    @Test func `on several machines never get the same key, also after failed saves`() throws {
        try withBooks { books in
            let other = try books.reopened()
            defer { other.close() }
            let keys = Mutex<[Int64]>([])
            let (store, book) = (books.store, books.book.number)
            try onThreads(4) { index in
                for count in [1, 100, 300, 7] {
                    let handle = index.isMultiple(of: 2) ? store : other
                    let begun = try handle.beginSave(reserving: [book: count])
                    keys.withLock { $0 += begun.keys[book].map(Array.init) ?? [] }
                    begun.transaction.rollback()
                }
            }
            let all = keys.withLock { $0 }
            #expect(all.count == 4 * 408)
            #expect(Set(all).count == all.count)
        }
    }

    @Test func `wait while one keeps the others waiting`() throws {
        try withBooks { books in
            let other = try books.reopened(timeout: 0.1)
            defer { other.close() }
            let saver = books.saver()
            let alone = try books.store.beginSave()
            try alone.keepOthersWaiting()
            let error = #expect(throws: StoreError.self) { try saver.save(1, to: other) }
            alone.rollback()
            guard case .busy? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try saver.save(1, to: other)
        }
    }

    @Test func `leave tables of names and changes that stay small`() throws {
        try withBooks { books in
            let saver = books.saver()
            for _ in 0..<1300 { try saver.save(1, to: books.store) }
            #expect(try books.rowCount(of: "cairn_saves") < 1000 + 130)
        }
    }
}
