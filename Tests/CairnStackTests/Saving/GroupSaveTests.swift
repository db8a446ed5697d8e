import CairnStore
import CairnTesting
import Dispatch
import Foundation
import StackSupport
import Synchronization
import Testing

@testable import CairnModel
@testable import CairnObjects
@testable import CairnQueries
@testable import CairnRows
@testable import CairnStack

@Suite(.timeLimit(.minutes(2))) struct `Saves that wait together` {
    private let faults = StoreFaults()
    private let stack: LibraryStack
    /// Stored books.
    private let books: [ObjectID]
    private let queue: GroupSave.Queue

    private typealias Save = @Sendable (LibraryStack) throws -> Void

    init() throws {
        stack = try LibraryStack.namingSaves()
        // On a busy machine, a save may wait for long.
        try stack.add(RemembersNames.self, faults, timeout: 60)
        books = try stack.saveBooks((0..<8).map { "\($0)" })
        queue = try #require(stack.coordinator.attachedStores.first?.waitingSaves)
        faults.resetCallCounts()
    }

    /// Lets saves wait for one that is held in its commit, in the order of the array.
    ///
    /// - Parameter whileWaiting: Called when all wait, before the commit goes on.
    /// - Returns: The error of each save, or `nil` if it was saved.
    private func together(
        _ saves: [Save], whileWaiting: () async throws -> Void = {}
    ) async throws -> [GraphError?] {
        let errors = Mutex<[Int: GraphError]>([:])
        let done = DispatchGroup()
        let held = faults.hold(.commit, for: .seconds(60))
        let first: Save = { stack in try stack.saveBooks(["before"]) }
        for (index, save) in ([first] + saves).enumerated() {
            done.enter()
            Thread.detachNewThread { [stack] in
                do {
                    try save(stack)
                } catch {
                    errors.withLock { $0[index - 1] = error as? GraphError ?? .notConnected }
                }
                done.leave()
            }
            if index == 0 { try await held.reached(within: .seconds(60)) }
            for _ in 0..<600_000 where queue.waiterCount < index { usleep(100) }
            try #require(queue.waiterCount == index)
        }
        try await whileWaiting()
        held.release()
        await withCheckedContinuation { continuation in
            done.notify(queue: .global()) { continuation.resume() }
        }
        return saves.indices.map { index in errors.withLock { $0[index] } }
    }

    private func rename(_ book: ObjectID, _ title: String, from version: Int64 = 1) -> Save {
        { stack in
            let changes = try stack.update(
                [book: ["title": .string(title)]], previousVersion: version)
            _ = try stack.coordinator.save(changes)
        }
    }

    private func title(_ book: ObjectID) throws -> [String] {
        try stack.texts("title", stack.coordinator.rows(for: [book]))
    }

    @Test func `share a commit, in the order in which they asked`() async throws {
        let book = books[0]

        let errors = try await together([
            rename(book, "a"), rename(book, "b", from: 2), rename(books[1], "c"),
            rename(book, "d", from: 3),
        ])

        #expect(errors.allSatisfy { $0 == nil })
        #expect(faults.callCount(of: .commit) == 2)
        #expect(try title(book) == ["d"])
        #expect(try title(books[1]) == ["c"])
    }

    @Test func `fail by themselves, after the commit of the others`() async throws {
        let committed = Mutex<[Int]>([])
        faults.observe(.commitAnswer) { committed.withLock { $0.append(0) } }

        let errors = try await together([
            rename(books[0], "a"),
            { [save = rename(books[0], "b")] stack in
                do {
                    try save(stack)
                } catch {
                    committed.withLock { $0.append(1) }
                    throw error
                }
            },
            rename(books[1], "c"),
        ])

        guard case .store(.rowConflicts(let conflicts)) = errors[1] else {
            Issue.record("\(errors)")
            return
        }
        #expect(conflicts.map(\.stored?.version) == [2])
        #expect(errors[0] == nil && errors[2] == nil)
        #expect(faults.callCount(of: .commit) == 2)
        #expect(committed.withLock { $0 } == [0, 0, 1])
        #expect(try title(books[0]) == ["a"])
        #expect(try title(books[1]) == ["c"])
    }

    @Test func `are saved one by one if their common commit fails`() async throws {
        faults.fail(.commit, calls: 2...2)

        let errors = try await together([
            rename(books[0], "a"), rename(books[0], "b"), rename(books[1], "c"),
        ])

        // Of the first two, which change the same book, either may come first now.
        #expect(errors.prefix(2).count { $0 == nil } == 1)
        #expect(errors[2] == nil)
        #expect(faults.callCount(of: .commit) == 4)
        #expect(try title(books[1]) == ["c"])
    }

    @Test func `are each told if the outcome of the commit is unknown`() async throws {
        faults.fail(.commitAnswer, calls: 2...2)
        let name = SaveID()

        let errors = try await together([
            rename(books[0], "a"),
            { [book = books[1]] stack in
                var changes = try stack.update([book: ["title": "b"]])
                changes.id = name
                _ = try stack.coordinator.save(changes)
            },
            rename(books[0], "c"),
        ])

        guard case .saveOutcomeUnknown = errors[0] else {
            Issue.record("\(errors)")
            return
        }
        #expect(errors[1] == nil, "the store knows the name")
        // The third is tried again, and finds that the first was saved.
        guard case .store(.rowConflicts) = errors[2] else {
            Issue.record("\(errors)")
            return
        }
        #expect(try title(books[1]) == ["b"])
    }

    @Test func `do not refer to objects that one before them deletes`() async throws {
        let author = try saveAuthor()

        let errors = try await together([
            { stack in
                var changes = LibraryChanges(ValuePacker(layouts: stack.coordinator.layouts))
                changes.deleted = [RowDeletion(id: author, previousVersion: 1)]
                _ = try stack.coordinator.save(changes)
            },
            { [books] stack in
                let packer = ValuePacker(layouts: stack.coordinator.layouts)
                var changes = LibraryChanges(packer)
                packer.values[books[2]] = ["author": .objectID(author)]
                let slot = try stack.coordinator.layouts.layout(of: stack.book.number).orThrow()
                    .slot(named: "author").orThrow()
                changes.updated = [
                    .init(
                        id: books[2], previousVersion: 1, changedSlots: [Int(slot.index)])
                ]
                _ = try stack.coordinator.save(changes)
            },
            rename(books[3], "c"),
        ])

        guard case .store(.referenceConflicts(let conflicts)) = errors[1] else {
            Issue.record("\(errors)")
            return
        }
        #expect(conflicts.map(\.object) == [author])
        #expect(conflicts.map(\.reason) == [.missing])
        #expect(errors[0] == nil && errors[2] == nil)
        #expect(faults.callCount(of: .commit) == 2)
        #expect(try title(books[2]) == ["2"])
        #expect(try title(books[3]) == ["c"])
    }

    private func saveAuthor() throws -> ObjectID {
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        let id = stack.newID(stack.author, 1)
        changes.inserted = [id]
        let saved = try stack.coordinator.save(changes)
        faults.resetCallCounts()
        return try #require(saved.permanentIDs[id])
    }

    @Test func `leave if their task is cancelled while they wait`() async throws {
        let executor = stack.coordinator.executor
        let waiting = Mutex<Task<GraphError?, Never>?>(nil)

        let errors = try await together([rename(books[0], "a")]) { [stack, books, queue] in
            let task = Task(executorPreference: executor) { () -> GraphError? in
                do {
                    let changes = try stack.update([books[1]: ["title": "b"]])
                    _ = try stack.coordinator.save(changes)
                    return nil
                } catch {
                    return error as? GraphError
                }
            }
            for _ in 0..<60_000 where queue.waiterCount < 2 {
                try await Task.sleep(for: .milliseconds(1))
            }
            task.cancel()
            guard case .saveCancelled = await task.value else {
                Issue.record("it was not cancelled")
                return
            }
            waiting.withLock { $0 = task }
        }

        #expect(errors.allSatisfy { $0 == nil })
        #expect(try title(books[0]) == ["a"])
        #expect(try title(books[1]) == ["1"])
    }

    @Test func `take keys for new objects that nobody else has`() async throws {
        let ids = Mutex<[ObjectID]>([])
        let insert: Save = { stack in
            let new = try stack.saveBooks(["x", "y"])
            ids.withLock { $0 += new }
        }

        // The first of them takes keys for later saves.
        for _ in 0..<2 { _ = try await together(Array(repeating: insert, count: 6)) }
        faults.resetCallCounts()
        let errors = try await together(Array(repeating: insert, count: 6))

        #expect(errors.allSatisfy { $0 == nil })
        #expect(faults.callCount(of: .commit) == 2)
        let all = ids.withLock { $0 } + books
        #expect(Set(all).count == all.count)
        #expect(all.count == 3 * 12 + books.count)
        #expect(try stack.coordinator.rows(for: all).count == all.count)
    }

    @Test func `share no commit with one that reports its progress`() async throws {
        let errors = try await together([
            rename(books[0], "a"),
            { [book = books[1]] stack in
                var changes = try stack.update([book: ["title": "b"]])
                changes.watch = SaveWatch(progress: Progress(totalUnitCount: 1))
                _ = try stack.coordinator.save(changes)
            },
            rename(books[2], "c"),
        ])

        #expect(errors.allSatisfy { $0 == nil })
        #expect(faults.callCount(of: .commit) == 4)
    }

    @Test func `share no commit if they change too many objects`() async throws {
        let many = try stack.saveBooks((0...GroupSave.mostChanges / 2).map { "\($0)" })
        faults.resetCallCounts()
        let renameAll: Save = { stack in
            let values: [String: Value] = ["title": "all"]
            let changes = try stack.update(
                Dictionary(uniqueKeysWithValues: many.map { ($0, values) }))
            _ = try stack.coordinator.save(changes)
        }

        let errors = try await together([rename(books[0], "a"), renameAll, renameAll])

        #expect(errors[0] == nil && errors[1] == nil)
        guard case .store(.rowConflicts) = errors[2] else {
            Issue.record("\(errors)")
            return
        }
        // The first, the pair of one and many, and the refused one, which has no commit.
        #expect(faults.callCount(of: .commit) == 2)
        #expect(faults.callCount(of: .beginSave) == 3)
    }

    @Test func `take other keys if somebody else has used theirs`() throws {
        let root = books[0].entity
        let keys = stack.coordinator.attachedStores.first?.spareKeys
        keys?.add([root: 1..<500])

        let new = try stack.saveBooks(["x", "y"])

        #expect(Set(new).isDisjoint(with: books))
        #expect(try stack.texts("title", stack.coordinator.rows(for: books + new)).count == 10)
        #expect(try title(books[0]) == ["0"])
        #expect(keys?.take([root: 1]) == nil)
    }

    @Test func `take no spare keys if none of them waits`() throws {
        let first = try stack.saveBooks(["a"])
        let second = try stack.saveBooks(["b"])

        #expect(second[0].key == first[0].key + 1)
    }
}
