import CairnTesting
import StackSupport
import Testing

@testable import CairnEngineKit
@testable import CairnModel
@testable import CairnQueries
@testable import CairnRows
@testable import CairnStack
@testable import CairnStore

@Suite struct `Saving through a coordinator` {
    private let failure = StoreError.engineFailure(
        EngineFailure(
            type: "InMemory", location: .memory("books"), operation: "write", code: 5,
            message: "no luck"))

    @Test func `splits a change set by configuration, each row packed once`() throws {
        let stack = try LibraryStack()
        let library = try stack.add("Library")
        let notes = try stack.add("Notes")
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        let book = stack.newID(stack.book, 1)
        let note = stack.newID(stack.note, 1)
        packer.values = [book: ["title": "Book"], note: ["text": "Note"]]
        changes.inserted = [note, book]

        let result = try stack.coordinator.save(changes)

        #expect(result.permanentIDs[book]?.store == library.number)
        #expect(result.permanentIDs[note]?.store == notes.number)
        #expect(packer.packCount == 2)
        #expect(result.rows.count == 2)
    }

    @Test func `puts new objects into the store they were assigned to, otherwise the first`() throws
    {
        let stack = try LibraryStack()
        let first = try stack.add("Library")
        let second = try stack.add("Archive")

        let unassigned = try stack.saveBooks(["a"])
        let assigned = try stack.saveBooks(["b"], in: second)

        #expect(unassigned.map(\.store) == [first.number])
        #expect(assigned.map(\.store) == [second.number])
    }

    @Test func `refuses a store that does not hold the entity`() throws {
        let stack = try LibraryStack()
        try stack.add("Library")
        let notes = try stack.add("Notes")

        #expect {
            try stack.saveBooks(["a"], in: notes)
        } throws: { error in
            guard
                case GraphError.entityNotTaken(
                    entity: "Book", by: notes.request.location,
                    reason: .notInConfiguration("Notes")) = error
            else { return false }
            return true
        }
    }

    @Test func `names a to-one that would refer to another store`() throws {
        let stack = try LibraryStack()
        try stack.add("Library")
        let archive = try stack.add("Archive")
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        let author = stack.newID(stack.author, 1)
        let book = stack.newID(stack.book, 1)
        packer.values = [author: ["name": "A"], book: ["author": .objectID(author)]]
        changes.inserted = [author, book]
        changes.assignments = [book: archive.number]

        #expect {
            try stack.coordinator.save(changes)
        } throws: { error in
            guard
                case GraphError.relationshipAcrossStores(
                    "Book", "author", from: book, to: author) = error
            else { return false }
            return true
        }
        #expect(try stack.coordinator.count(stack.plan(stack.book), in: nil) == 0)
    }

    @Test func `names a to-many pair that would refer to another store`() throws {
        let stack = try LibraryStack()
        try stack.add("Library")
        try stack.add("Notes")
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        let book = stack.newID(stack.book, 1)
        let note = stack.newID(stack.note, 1)
        changes.inserted = [book, note]
        let tags = try #require(stack.book.relationship(named: "tags"))
        changes.pairs = [PairChange(.insert, tags, owner: book, member: note)]

        #expect {
            try stack.coordinator.save(changes)
        } throws: { error in
            guard
                case GraphError.relationshipAcrossStores("Book", "tags", from: book, to: note) =
                    error
            else { return false }
            return true
        }
    }

    @Test func `saves to-many pairs between new objects of one store`() throws {
        let stack = try LibraryStack()
        try stack.add()
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        let book = stack.newID(stack.book, 1)
        let notes = [stack.newID(stack.note, 1), stack.newID(stack.note, 2)]
        changes.inserted = [book] + notes
        let tags = try #require(stack.book.relationship(named: "tags"))
        changes.pairs = notes.map { PairChange(.insert, tags, owner: book, member: $0) }

        let result = try stack.coordinator.save(changes)

        let owner = try #require(result.permanentIDs[book])
        let related = try stack.coordinator.relatedIDs(tags, of: [owner])
        #expect(Set(related.members) == Set(notes.compactMap { result.permanentIDs[$0] }))
    }

    @Test func `gathers the row conflicts of all stores`() throws {
        let stack = try LibraryStack()
        let stores = [try stack.add("Library"), try stack.add("Archive")]
        let ids = try stores.flatMap { try stack.saveBooks(["old"], in: $0) }
        let stale = try stack.update(
            Dictionary(uniqueKeysWithValues: ids.map { ($0, ["title": .string("new")]) }),
            previousVersion: 7)

        #expect {
            try stack.coordinator.save(stale)
        } throws: { error in
            guard case GraphError.store(.rowConflicts(let conflicts)) = error else { return false }
            return Set(conflicts.map(\.id)) == Set(ids)
                && conflicts.allSatisfy { $0.expectedVersion == 7 && $0.stored?.version == 1 }
        }
        #expect(try stack.titles(stack.plan(stack.book)) == ["old", "old"])
    }

    @Test func `leaves every store unchanged if one store fails to prepare`() throws {
        let stack = try LibraryStack()
        let faults = StoreFaults()
        let stores = [try stack.add("Library"), try stack.add("Archive", faults: faults)]
        let ids = try stores.flatMap { try stack.saveBooks(["old"], in: $0) }
        let values = Dictionary(uniqueKeysWithValues: ids.map { ($0, ["title": Value("new")]) })
        faults.fail(.prepare, calls: 1..., with: failure)

        #expect(throws: GraphError.self) { try stack.coordinator.save(stack.update(values)) }

        faults.stopFailing()
        #expect(try stack.titles(stack.plan(stack.book)) == ["old", "old"])
        // Every lock was released, so the same save succeeds.
        _ = try stack.coordinator.save(stack.update(values))
        #expect(try stack.titles(stack.plan(stack.book)) == ["new", "new"])
    }

    @Test func `leaves a store unchanged if its commit fails`() throws {
        let stack = try LibraryStack()
        let faults = StoreFaults()
        try stack.add(faults: faults)
        let ids = try stack.saveBooks(["old"])
        faults.fail(.commit, calls: 1..., with: failure)

        #expect {
            try stack.coordinator.save(stack.update([ids[0]: ["title": "new"]]))
        } throws: { error in
            if case GraphError.store(.engineFailure) = error { true } else { false }
        }
        #expect(try stack.titles(stack.plan(stack.book)) == ["old"])
        // The lock was released, so another save succeeds.
        faults.stopFailing()
        _ = try stack.coordinator.save(stack.update([ids[0]: ["title": "new"]]))
        #expect(try stack.titles(stack.plan(stack.book)) == ["new"])
    }

    @Test func `an in-memory store that failed applies its part before it is used again`() throws {
        let stack = try LibraryStack()
        let faults = [StoreFaults(), StoreFaults()]
        let stores = try zip(["Library", "Archive"], faults).map {
            try stack.add($0, faults: $1)
        }
        let ids = try stores.flatMap { try stack.saveBooks(["old"], in: $0) }
        let inOrder = try zip(stores, faults).sorted {
            try $0.0.metadata().identifier < $1.0.metadata().identifier
        }
        let last = inOrder[1]
        last.1.fail(.commit, calls: 1..., with: failure)
        let changes = try stack.update(
            Dictionary(uniqueKeysWithValues: ids.map { ($0, ["title": .string("new")]) }))

        let pending = try #require(try stack.coordinator.save(changes).pending)
        #expect(Set(pending.stores) == Set(stores.map(\.request.location)))
        #expect(pending.detail.contains(last.0.request.location.description))

        // A read never returns a partial save.
        #expect {
            try stack.titles(stack.plan(stack.book))
        } throws: { error in
            if case GraphError.store(.savePending) = error { true } else { false }
        }
        last.1.stopFailing()
        #expect(try stack.titles(stack.plan(stack.book)) == ["new", "new"])
    }

    @Test func `names the store that cannot tell whether it saved, and those that did`() throws {
        let stack = try LibraryStack()
        let faults = [StoreFaults(), StoreFaults()]
        let stores = try zip(["Library", "Archive"], faults).map {
            try stack.add($0, faults: $1)
        }
        let ids = try stores.flatMap { try stack.saveBooks(["old"], in: $0) }
        let inOrder = try zip(stores, faults).sorted {
            try $0.0.metadata().identifier < $1.0.metadata().identifier
        }
        let location = inOrder[1].0.request.location
        inOrder[1].1.fail(.commitAnswer)
        let changes = try stack.update(
            Dictionary(uniqueKeysWithValues: ids.map { ($0, ["title": .string("new")]) }))

        #expect {
            try stack.coordinator.save(changes)
        } throws: { error in
            guard case GraphError.saveOutcomeUnknown(location, let saved, _) = error else {
                return false
            }
            return saved == [inOrder[0].0.request.location]
        }
    }

    @Test func `assigns permanent IDs before a save, and the save keeps them`() throws {
        let stack = try LibraryStack()
        try stack.add()
        let temporary = [stack.newID(stack.book, 1), stack.newID(stack.book, 2)]

        let permanent = try stack.coordinator.permanentIDs(for: temporary, assignments: [:])
        let later = try stack.saveBooks(["later"])
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        changes.inserted = permanent
        for id in permanent { packer.values[id] = ["title": "early"] }
        _ = try stack.coordinator.save(changes)

        #expect(Set(permanent + later).count == 3)
        #expect(try stack.coordinator.rows(for: permanent).count == 2)
    }

    @Test func `refuses a new destination that is not in the save`() throws {
        let stack = try LibraryStack()
        try stack.add()
        let stranger = stack.newID(stack.author, 9)
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        let book = stack.newID(stack.book, 1)
        changes.inserted = [book]
        packer.values[book] = ["author": .objectID(stranger)]

        #expect {
            try stack.coordinator.save(changes)
        } throws: { error in
            if case GraphError.objectGone(stranger, _) = error { true } else { false }
        }
    }
}
