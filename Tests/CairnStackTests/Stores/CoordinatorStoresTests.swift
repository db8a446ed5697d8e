import CairnMemory
import CairnModel
import CairnRows
import CairnStore
import CairnTesting
import Foundation
import StackSupport
import Testing

@testable import CairnStack

@Suite struct `Stores of a coordinator` {
    @Test func `refuse an unknown type and list the known ones`() throws {
        let stack = try LibraryStack()

        #expect {
            try stack.coordinator.addPersistentStore(ofType: "Clay")
        } throws: { error in
            guard case GraphError.store(.unknownType("Clay", let known)) = error else {
                return false
            }
            return known.contains("InMemory") && known.contains("Varied")
        }
    }

    @Test func `an engine registered for the process is found`() throws {
        let stack = try LibraryStack(engines: [])
        PersistentStoreCoordinator.registerStoreClass(InMemoryStore.self, type: "Clay tablets")

        let store = try stack.coordinator.addPersistentStore(ofType: "Clay tablets")

        #expect(stack.coordinator.persistentStores.map(\.number) == [store.number])
    }

    @Test func `an unknown configuration is refused`() throws {
        let stack = try LibraryStack()

        #expect {
            try stack.add("Kitchen")
        } throws: { error in
            guard case GraphError.model(.unknownConfiguration("Kitchen", let known)) = error else {
                return false
            }
            return known == ["Archive", "Library", "Notes"]
        }
    }

    @Test func `the same location is refused a second time`() throws {
        let stack = try LibraryStack()
        let url = try #require(URL(string: "memory:one"))
        try stack.coordinator.addPersistentStore(ofType: "InMemory", at: url)

        #expect {
            try stack.coordinator.addPersistentStore(ofType: "InMemory", at: url)
        } throws: { error in
            if case GraphError.storeAlreadyAdded = error { true } else { false }
        }
        #expect(stack.coordinator.persistentStores.count == 1)
    }

    @Test func `an option that is not a Boolean is refused`() throws {
        let stack = try LibraryStack()

        #expect {
            try stack.coordinator.addPersistentStore(
                ofType: "InMemory", options: [.readOnly: "perhaps"])
        } throws: { error in
            if case GraphError.store(.invalidOption(.readOnly, _)) = error { true } else { false }
        }
    }

    @Test func `a store that cannot be opened leaves the coordinator unchanged`() throws {
        let stack = try LibraryStack()
        let faults = StoreFaults()
        faults.fail(.open) { .readOnly($0) }

        #expect(throws: GraphError.self) { try stack.add(faults: faults) }

        #expect(stack.coordinator.persistentStores.isEmpty)
        try stack.add(faults: faults)
        #expect(stack.coordinator.persistentStores.count == 1)
    }

    @Test func `object URIs lead back to object IDs`() throws {
        let stack = try LibraryStack()
        let store = try stack.add()
        let id = try stack.saveBooks(["a"])[0]

        let found = stack.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
        try stack.coordinator.remove(store)
        let gone = stack.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())

        #expect(found == id)
        #expect(found?.entity == stack.book.number)
        #expect(gone == nil)
    }

    @Test(arguments: [
        "x-coredata://NOBODY/Book/p1", "x-coredata:///Book/t1-2", "https://example.org/Book/p1",
        "x-coredata://A/Book", "x-coredata://A/Book/p", "x-coredata://A/Book/pseven",
    ])
    func `a URI of an unknown object has no object ID`(_ text: String) throws {
        let stack = try LibraryStack()
        try stack.add()

        let id = stack.coordinator.managedObjectID(
            forURIRepresentation: try #require(URL(string: text)))

        #expect(id == nil)
    }

    @Test func `metadata can be read as soon as it is set`() throws {
        let stack = try LibraryStack()
        let store = try stack.add()

        try stack.coordinator.setMetadata(["mood": "fine"], for: store)

        let metadata = try stack.coordinator.metadata(for: store)
        #expect(metadata.values["mood"] == "fine")
        #expect(metadata.type == "InMemory")
    }

    @Test func `a removed store is closed and unknown`() throws {
        let stack = try LibraryStack()
        let store = try stack.add()

        try stack.coordinator.remove(store)

        #expect(stack.coordinator.persistentStores.isEmpty)
        #expect(throws: StoreError.self) { try store.snapshot() }
        #expect {
            try stack.coordinator.metadata(for: store)
        } throws: { error in
            if case GraphError.unknownStore = error { true } else { false }
        }
    }

    @Test func `other stores can be read while a slow store opens`() async throws {
        let stack = try LibraryStack()
        try stack.add("Library")
        try stack.saveBooks(["a"])
        let faults = StoreFaults()
        let held = faults.hold(.open)
        let coordinator = stack.coordinator
        let opening = Task {
            try await coordinator.addPersistentStore(
                ofType: "InMemory", configurationName: "Notes", options: faults.options)
        }

        let titles = try stack.titles(stack.plan(stack.book))
        let storesBefore = coordinator.persistentStores.count
        held.release()
        _ = try await opening.value

        #expect(titles == ["a"])
        #expect(storesBefore == 1)
        #expect(coordinator.persistentStores.count == 2)
    }
}

@Suite struct `Rows through a coordinator` {
    @Test func `come from the row cache after they are first read`() throws {
        let stack = try LibraryStack()
        let faults = StoreFaults()
        try stack.add(faults: faults)
        let ids = try stack.saveBooks(["a", "b"])

        let cached = try stack.coordinator.rows(for: ids)
        let reads = faults.callCount(of: .rows)
        let fresh = try stack.coordinator.freshRows(for: ids)

        #expect(cached.count == 2)
        #expect(reads == 0)
        #expect(fresh.count == 2)
        #expect(faults.callCount(of: .rows) == 1)
        #expect(try stack.coordinator.row(for: ids[0])?.key == ids[0].key)
    }

    @Test func `are left out if the store does not have them`() throws {
        let stack = try LibraryStack()
        try stack.add()
        let id = try stack.saveBooks(["a"])[0]
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        changes.deleted = [RowDeletion(id: id, previousVersion: 1)]

        _ = try stack.coordinator.save(changes)

        #expect(try stack.coordinator.rows(for: [id]).isEmpty)
        #expect(try stack.coordinator.row(for: id) == nil)
    }

    @Test func `show what somebody else saved, after the next read`() throws {
        let stack = try LibraryStack()
        let store = try stack.add(varied: [:])
        let id = try stack.saveBooks(["old"])[0]
        try saveElsewhere("new", id, in: store, stack)

        let stale = stack.texts("title", try stack.coordinator.rows(for: [id]))
        _ = try stack.coordinator.count(stack.plan(stack.book), in: nil)
        let renewed = stack.texts("title", try stack.coordinator.rows(for: [id]))

        #expect(stale == ["old"])
        #expect(renewed == ["new"])
    }

    /// Saves without the coordinator's knowledge, as another process would.
    private func saveElsewhere(
        _ title: String, _ id: ObjectID, in store: any PersistentStore, _ stack: LibraryStack
    ) throws {
        let layout = stack.coordinator.layouts.layout(of: stack.book)
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: id.key, version: 2)
        try writer.set(title, at: try #require(layout.slot(named: "title")))
        writer.endRow()
        let row = writer.takeBatch()[row: 0]
        let save = try store.beginSave()
        try save.prepare(
            SaveRequest(updated: [RowUpdate(row: row, previousVersion: 1, changedSlots: [])]))
        _ = try save.commit()
    }

    @Test func `have related IDs in the order of their owners, over several stores`() throws {
        let stack = try LibraryStack()
        let stores = [try stack.add("Library"), try stack.add("Archive")]
        let books = try #require(stack.author.relationship(named: "books"))
        var owners: [ObjectID] = []
        var members: [ObjectID: Set<ObjectID>] = [:]
        for (index, store) in [stores[0], stores[1], stores[0]].enumerated() {
            let packer = ValuePacker(layouts: stack.coordinator.layouts)
            var changes = LibraryChanges(packer)
            let author = stack.newID(stack.author, 1)
            changes.inserted = [author]
            for number in 0...index {
                let book = stack.newID(stack.book, Int64(number + 1))
                packer.values[book] = ["author": .objectID(author)]
                changes.inserted.append(book)
            }
            for id in changes.inserted { changes.assignments[id] = store.number }
            let ids = try stack.coordinator.save(changes).permanentIDs
            let owner = try #require(ids[author])
            owners.append(owner)
            members[owner] = Set(ids.map(\.new)).subtracting([owner])
        }

        let related = try stack.coordinator.relatedIDs(books, of: owners)

        #expect(related.count == 3)
        for (index, owner) in owners.enumerated() {
            #expect(Set(related.members[related.range(ofOwnerAt: index)]) == members[owner])
        }
    }
}
