import CairnModel
import CairnRows
import CairnStore
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite(.timeLimit(.minutes(1))) struct `Saves of which the outcome is uncertain` {
    private func stack() throws -> LibraryStack {
        try LibraryStack(engines: [
            UncertainStore<WantsNames>.self, UncertainStore<RemembersNames>.self,
            UncertainStore<ForgetsNames>.self,
        ])
    }

    @discardableResult
    private func add(
        _ names: (some NamePolicy).Type, _ uncertainty: Uncertainty,
        _ configuration: String? = nil, to stack: LibraryStack
    ) throws -> any PersistentStore {
        try stack.add(names.type, uncertainty, configuration)
    }

    private func titles(_ stack: LibraryStack) throws -> [String] {
        try stack.titles(try stack.plan(stack.book))
    }

    private func failure(of save: () throws -> Void) throws -> GraphError {
        try #require(#expect(throws: GraphError.self, performing: save))
    }

    @Test func `succeed if the store says that it saved`() throws {
        let (stack, uncertainty) = (try stack(), Uncertainty { $0.commits = [.losesAnswer] })
        try add(WantsNames.self, uncertainty, to: stack)

        let ids = try stack.saveBooks(["a"])
        _ = try stack.coordinator.save(try stack.update([ids[0]: ["title": "b"]]))

        #expect(try titles(stack) == ["b"])
        #expect(uncertainty.now.commitCount == 2)
        #expect(uncertainty.now.questionCount == 1)
    }

    @Test func `leave no rows in the cache that were read from the state before`() throws {
        let (stack, uncertainty) = (try stack(), Uncertainty())
        let store = try stack.add(WantsNames.type, uncertainty)
        let ids = try stack.saveBooks(["a"])
        uncertainty.state.withLock { $0.commits = [.losesAnswer] }

        try stack.coordinator.withState(of: store.number, isNewest: true) {
            (before) throws(StoreError) in
            _ = try? stack.coordinator.save(stack.update([ids[0]: ["title": .string("b")]]))
            _ = try before.rows(for: ids)
        }
        let row = try #require(try stack.coordinator.row(for: ids[0]))

        #expect(stack.texts("title", RowBatch([row])) == ["b"])
    }

    @Test func `are repeated if the store says that it did not save`() throws {
        let (stack, uncertainty) = (try stack(), Uncertainty { $0.commits = [.losesRequest] })
        try add(WantsNames.self, uncertainty, to: stack)

        try stack.saveBooks(["a"])

        #expect(try titles(stack) == ["a"])
        #expect(uncertainty.now.commitCount == 2)
    }

    @Test func `fail normally if the store did not save and the failure is permanent`() throws {
        let uncertainty = Uncertainty { state in
            state.commits = [.losesRequest]
            state.isTransient = false
        }
        let stack = try stack()
        try add(WantsNames.self, uncertainty, to: stack)

        let error = try failure { try stack.saveBooks(["a"]) }

        guard case .store(.engineFailure) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(try titles(stack) == [])
        #expect(uncertainty.now.commitCount == 1)
    }

    @Test(arguments: [Uncertainty.CommitEnd.losesAnswer, .losesRequest])
    func `stay unknown, and are not repeated, if the store has forgotten`(
        _ end: Uncertainty.CommitEnd
    ) throws {
        let uncertainty = Uncertainty { state in
            state.commits = [end]
            state.hasForgotten = true
        }
        let stack = try stack()
        try add(WantsNames.self, uncertainty, to: stack)

        let error = try failure { try stack.saveBooks(["a"]) }

        guard case .saveOutcomeUnknown = error else {
            Issue.record("\(error)")
            return
        }
        #expect(uncertainty.now.commitCount == 1)
    }

    @Test func `are asked about again if the query fails, a limited number of times`() throws {
        let (stack, uncertainty) = (try stack(), Uncertainty { $0.commits = [.losesAnswer] })
        try add(WantsNames.self, uncertainty, to: stack)
        uncertainty.state.withLock { $0.failingQuestions = 4 }

        try stack.saveBooks(["a"])
        #expect(uncertainty.now.questionCount == 5)

        uncertainty.state.withLock { state in
            state.commits = [.losesAnswer]
            state.failingQuestions = .max
        }
        let error = try failure { try stack.saveBooks(["b"]) }
        guard case .saveOutcomeUnknown = error else {
            Issue.record("\(error)")
            return
        }
        #expect(uncertainty.now.questionCount == 10)
    }

    @Test func `leave the lock available to the query of the outcome`() throws {
        let (stack, uncertainty) = (try stack(), Uncertainty { $0.commits = [.losesRequest] })
        try add(WantsNames.self, uncertainty, to: stack)
        uncertainty.state.withLock { $0.hasForgotten = true }

        _ = try failure { try stack.saveBooks(["a"]) }
        try stack.saveBooks(["b"])

        #expect(try titles(stack) == ["b"])
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Saves that fail in an engine` {
    private func stack(_ uncertainty: Uncertainty) throws -> LibraryStack {
        let stack = try LibraryStack(engines: [UncertainStore<RemembersNames>.self])
        try stack.add(RemembersNames.type, uncertainty)
        return stack
    }

    @Test func `are repeated while the failure is temporary`() throws {
        let uncertainty = Uncertainty { state in
            state.failingBegins = 2
            state.commits = [.fails(isTransient: true)]
        }
        let stack = try stack(uncertainty)

        try stack.saveBooks(["a"])

        #expect(try stack.titles(try stack.plan(stack.book)) == ["a"])
        #expect(uncertainty.now.beginCount == 4)
        #expect(uncertainty.now.commitCount == 2)
    }

    @Test func `fail after a bounded number of attempts`() throws {
        let uncertainty = Uncertainty { $0.failingBegins = .max }
        let stack = try stack(uncertainty)

        let error = try #require(#expect(throws: GraphError.self) { try stack.saveBooks(["a"]) })

        guard case .store(.engineFailure(let failure)) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(failure.isTransient)
        #expect(uncertainty.now.beginCount == 5)
    }

    @Test func `fail at once if the failure is permanent`() throws {
        let uncertainty = Uncertainty { $0.commits = [.fails(isTransient: false)] }
        let stack = try stack(uncertainty)

        #expect(throws: GraphError.self) { try stack.saveBooks(["a"]) }

        #expect(uncertainty.now.beginCount == 1)
    }

    @Test func `that fail in the commit report the IDs that objects had before it`() throws {
        let uncertainty = Uncertainty { $0.commits = [.clashes] }
        let stack = try stack(uncertainty)

        let error = try #require(#expect(throws: GraphError.self) { try stack.saveBooks(["a"]) })

        guard case .store(.uniquenessConflicts(let conflicts)) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(conflicts.map(\.requested) == [[stack.newID(stack.book, 1)]])
    }

    @Test func `are not repeated once their task is cancelled`() async throws {
        let uncertainty = Uncertainty { $0.failingBegins = .max }

        let error = await Task.detached { () -> (any Error)? in
            withUnsafeCurrentTask { $0?.cancel() }
            do {
                try self.stack(uncertainty).saveBooks(["a"])
                return nil
            } catch {
                return error
            }
        }.value

        guard case GraphError.saveCancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(uncertainty.now.beginCount == 1)
    }
}

@Suite struct `Names of saves` {
    private func stack() throws -> LibraryStack {
        try LibraryStack(engines: [
            UncertainStore<WantsNames>.self, UncertainStore<RemembersNames>.self,
            UncertainStore<ForgetsNames>.self,
        ])
    }

    private func add(
        _ type: StoreType, _ configuration: String?, to stack: LibraryStack
    ) throws -> (store: any PersistentStore, uncertainty: Uncertainty) {
        let uncertainty = Uncertainty()
        return (try stack.add(type, uncertainty, configuration), uncertainty)
    }

    @Test func `are not given to a save's only store, unless that store wants one`() throws {
        for (type, isNamed) in [
            (WantsNames.type, true), (RemembersNames.type, false), (ForgetsNames.type, false),
        ] {
            let stack = try stack()
            let added = try add(type, nil, to: stack)

            try stack.saveBooks(["a"])
            try stack.saveBooks(["b"])

            let names = added.uncertainty.now.names
            #expect(names.count == 2)
            #expect(names.allSatisfy { ($0 != nil) == isNamed }, "\(type)")
            #expect(Set(names).count == (isNamed ? 2 : 1))
        }
    }

    @Test func `do not help a save over several stores that cannot have a journal`() throws {
        let stack = try stack()
        let stores = try [
            (RemembersNames.type, "Library"), (RemembersNames.type, "Archive"),
            (ForgetsNames.type, "Notes"),
        ].map { try add($0, $1, to: stack) }
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        let ids = [
            stack.newID(stack.book, 1), stack.newID(stack.book, 2), stack.newID(stack.note, 3),
        ]
        changes.inserted = ids
        for (id, added) in zip(ids, stores) { changes.assignments[id] = added.store.number }

        #expect {
            try stack.coordinator.save(changes)
        } throws: { error in
            guard case GraphError.store(.unsupported(let location, _, _)) = error else {
                return false
            }
            return stores.contains { $0.store.request.location == location }
        }

        #expect(stores.allSatisfy { $0.uncertainty.now.commitCount == 0 })
    }

    @Test func `are those that the caller gives, even in a save to one store`() throws {
        let stack = try stack()
        let added = try add(RemembersNames.type, nil, to: stack)
        let id = SaveID()

        try ContextHandle(coordinator: stack.coordinator).performAndWait { context in
            _ = try context.insertNewObject(forEntityName: "Book")
            try context.save(named: id)
        }

        #expect(added.uncertainty.now.names == [id])
        #expect(try added.store.outcome(of: id) == .saved)
        #expect(try added.store.outcome(of: SaveID()) == .notSaved)
    }
}
