import CairnTesting
import StackSupport
import Testing

@testable import CairnEngineKit
@testable import CairnModel
@testable import CairnObjects
@testable import CairnRows
@testable import CairnStack
@testable import CairnStore

/// The failure of a connection to a store.
private func lostConnection(isTransient: Bool = true) -> EngineFailure {
    EngineFailure(
        type: "Lost", location: .memory("lost"), operation: "any", code: 1,
        message: "the connection was lost", isTransient: isTransient)
}

extension StoreFaults {
    /// Makes the next commit fail so that the coordinator cannot know whether the store has the save.
    ///
    /// - Parameter operation: `.commit` if the request is lost on the way to the store, and
    ///   `.commitAnswer` if the save succeeds but its answer is lost.
    fileprivate func lose(_ operation: StoreOperation, isTransient: Bool = true) {
        fail(operation, with: .commitOutcomeUnknown(lostConnection(isTransient: isTransient)))
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Saves of which the outcome is uncertain` {
    private let stack: LibraryStack
    private let faults = StoreFaults()

    init() throws {
        stack = try .namingSaves()
    }

    private func titles() throws -> [String] {
        try stack.titles(try stack.plan(stack.book))
    }

    private func failure(of save: () throws -> Void) throws -> GraphError {
        try #require(#expect(throws: GraphError.self, performing: save))
    }

    @Test func `succeed if the store says that it saved`() throws {
        try stack.add(WantsNames.self, faults)
        faults.lose(.commitAnswer)

        let ids = try stack.saveBooks(["a"])
        _ = try stack.coordinator.save(try stack.update([ids[0]: ["title": "b"]]))

        #expect(try titles() == ["b"])
        #expect(faults.callCount(of: .commit) == 2)
        #expect(faults.callCount(of: .outcome) == 1)
    }

    @Test func `leave no rows in the cache that were read from the state before`() throws {
        let store = try stack.add(WantsNames.self, faults)
        let ids = try stack.saveBooks(["a"])
        faults.lose(.commitAnswer)

        try stack.coordinator.withState(of: store.number, isNewest: true) {
            (before) throws(StoreError) in
            _ = try? stack.coordinator.save(stack.update([ids[0]: ["title": .string("b")]]))
            _ = try before.rows(for: ids)
        }
        let row = try #require(try stack.coordinator.row(for: ids[0]))

        #expect(stack.texts("title", RowBatch([row])) == ["b"])
    }

    @Test func `are repeated if the store says that it did not save`() throws {
        try stack.add(WantsNames.self, faults)
        faults.lose(.commit)

        try stack.saveBooks(["a"])

        #expect(try titles() == ["a"])
        #expect(faults.callCount(of: .commit) == 2)
    }

    @Test func `fail normally if the store did not save and the failure is permanent`() throws {
        try stack.add(WantsNames.self, faults)
        faults.lose(.commit, isTransient: false)

        let error = try failure { try stack.saveBooks(["a"]) }

        guard case .store(.engineFailure) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(try titles() == [])
        #expect(faults.callCount(of: .commit) == 1)
    }

    @Test(arguments: [StoreOperation.commitAnswer, .commit])
    func `stay unknown, and are not repeated, if the store has forgotten`(
        _ lost: StoreOperation
    ) throws {
        try stack.add(WantsNames.self, faults, hasForgotten: true)
        faults.lose(lost)

        let error = try failure { try stack.saveBooks(["a"]) }

        guard case .saveOutcomeUnknown = error else {
            Issue.record("\(error)")
            return
        }
        #expect(faults.callCount(of: .commit) == 1)
    }

    @Test func `are asked about again if the query fails, a limited number of times`() throws {
        try stack.add(WantsNames.self, faults)
        faults.lose(.commitAnswer)
        faults.fail(.outcome, calls: 1...4, with: .engineFailure(lostConnection()))

        try stack.saveBooks(["a"])
        #expect(faults.callCount(of: .outcome) == 5)

        faults.lose(.commitAnswer)
        faults.fail(.outcome, calls: 1..., with: .engineFailure(lostConnection()))
        let error = try failure { try stack.saveBooks(["b"]) }
        guard case .saveOutcomeUnknown = error else {
            Issue.record("\(error)")
            return
        }
        #expect(faults.callCount(of: .outcome) == 10)
    }

    @Test func `leave the lock available to the query of the outcome`() throws {
        try stack.add(WantsNames.self, faults, hasForgotten: true)
        faults.lose(.commit)

        _ = try failure { try stack.saveBooks(["a"]) }
        try stack.saveBooks(["b"])

        #expect(try titles() == ["b"])
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Saves that fail in an engine` {
    private let stack: LibraryStack
    private let store: any PersistentStore
    private let faults = StoreFaults()

    init() throws {
        stack = try .namingSaves()
        store = try stack.add(RemembersNames.self, faults)
    }

    @Test func `are repeated while the failure is temporary`() throws {
        faults.fail(.beginSave, calls: 1...2, with: .engineFailure(lostConnection()))
        faults.fail(.commit, with: .engineFailure(lostConnection()))

        try stack.saveBooks(["a"])

        #expect(try stack.titles(try stack.plan(stack.book)) == ["a"])
        #expect(faults.callCount(of: .beginSave) == 4)
        #expect(faults.callCount(of: .commit) == 2)
    }

    @Test func `fail after a bounded number of attempts`() throws {
        faults.fail(.beginSave, calls: 1..., with: .engineFailure(lostConnection()))

        let error = try #require(#expect(throws: GraphError.self) { try stack.saveBooks(["a"]) })

        guard case .store(.engineFailure(let failure)) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(failure.isTransient)
        #expect(faults.callCount(of: .beginSave) == 5)
    }

    @Test func `fail at once if the failure is permanent`() throws {
        faults.fail(.commit, with: .engineFailure(lostConnection(isTransient: false)))

        #expect(throws: GraphError.self) { try stack.saveBooks(["a"]) }

        #expect(faults.callCount(of: .beginSave) == 1)
    }

    /// Another save stores the same unique value after this save was prepared.
    @Test func `that fail in the commit report the IDs that objects had before it`() throws {
        let book = stack.book
        let permanent = ObjectID(
            store: store.number, rootEntity: book.rootEntity.number, entity: book.number, key: 1)
        faults.fail(
            .commit,
            with: .uniquenessConflicts([
                UniquenessConflict(
                    entity: "Book", constraint: ["title"], requested: [permanent], stored: nil)
            ]))

        let error = try #require(#expect(throws: GraphError.self) { try stack.saveBooks(["a"]) })

        guard case .store(.uniquenessConflicts(let conflicts)) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(conflicts.map(\.requested) == [[stack.newID(book, 1)]])
    }

    @Test func `are not repeated once their task is cancelled`() async throws {
        faults.fail(.beginSave, calls: 1..., with: .engineFailure(lostConnection()))

        let error = await Task.detached { () -> (any Error)? in
            withUnsafeCurrentTask { $0?.cancel() }
            do {
                try stack.saveBooks(["a"])
                return nil
            } catch {
                return error
            }
        }.value

        guard case GraphError.saveCancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(faults.callCount(of: .beginSave) == 1)
    }
}

@Suite struct `Names of saves` {
    private func names(givenTo names: (some NamePolicy).Type) throws -> [SaveID?] {
        let (stack, faults) = (try LibraryStack.namingSaves(), StoreFaults())
        try stack.add(names, faults)
        try stack.saveBooks(["a"])
        try stack.saveBooks(["b"])
        return faults.saveNames
    }

    @Test func `are not given to a save's only store, unless that store wants one`() throws {
        let wanted = try names(givenTo: WantsNames.self)
        let remembered = try names(givenTo: RemembersNames.self)
        let forgotten = try names(givenTo: ForgetsNames.self)

        #expect(wanted.count == 2 && Set(wanted.compactMap(\.self)).count == 2)
        #expect(remembered == [nil, nil])
        #expect(forgotten == [nil, nil])
    }

    @Test func `do not help a save over several stores that cannot have a journal`() throws {
        let stack = try LibraryStack.namingSaves()
        let faults = StoreFaults()
        let stores = [
            try stack.add(RemembersNames.self, faults, "Library"),
            try stack.add(RemembersNames.self, faults, "Archive"),
            try stack.add(ForgetsNames.self, faults, "Notes"),
        ]
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        let ids = [
            stack.newID(stack.book, 1), stack.newID(stack.book, 2), stack.newID(stack.note, 3),
        ]
        changes.inserted = ids
        for (id, store) in zip(ids, stores) { changes.assignments[id] = store.number }

        #expect {
            try stack.coordinator.save(changes)
        } throws: { error in
            guard case GraphError.store(.unsupported(let location, _, _)) = error else {
                return false
            }
            return stores.contains { $0.request.location == location }
        }

        #expect(faults.callCount(of: .commit) == 0)
    }

    @Test func `are those that the caller gives, even in a save to one store`() throws {
        let (stack, faults) = (try LibraryStack.namingSaves(), StoreFaults())
        let store = try stack.add(RemembersNames.self, faults)
        let id = SaveID()

        try ContextHandle(coordinator: stack.coordinator).performAndWait { context in
            _ = try context.insertNewObject(forEntityName: "Book")
            try context.save(named: id)
        }

        #expect(faults.saveNames == [id])
        #expect(try store.outcome(of: id) == .saved)
        #expect(try store.outcome(of: SaveID()) == .notSaved)
    }
}
