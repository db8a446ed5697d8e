import CairnMemory
import CairnModel
import CairnRows
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `Calls of a save to its store` {
    private func stack(_ calls: CallList) throws -> LibraryStack {
        let stack = try LibraryStack(engines: [CountingStore.self])
        try stack.coordinator.addPersistentStore(
            ofType: CountingStore.type,
            options: [CallList.option: .string(calls.name)])
        return stack
    }

    @Test func `are three for 10,000 new objects`() throws {
        let calls = CallList()
        let stack = try stack(calls)
        _ = calls.take()

        try ContextHandle(coordinator: stack.coordinator).performAndWait { context in
            for _ in 0..<10_000 { _ = try context.insertNewObject(forEntityName: "Book") }
            try context.save()
        }

        #expect(calls.take() == ["begin with keys", "prepare", "commit"])
        #expect(try stack.coordinator.count(try stack.plan(stack.book), in: nil) == 10_000)
    }

    @Test func `are three for 10,000 changed objects, which are packed before the first`() throws {
        let calls = CallList()
        let stack = try stack(calls)
        let ids = try stack.saveBooks((0..<10_000).map { "\($0)" })
        let changes = try stack.update(
            Dictionary(uniqueKeysWithValues: ids.map { ($0, ["title": .string("new")]) }))
        _ = calls.take()

        _ = try stack.coordinator.save(noting(changes, calls))

        #expect(calls.take() == ["pack", "begin", "prepare", "commit"])
    }

    @Test func `begin before new objects are packed if the save assigns the keys`() throws {
        let calls = CallList()
        let stack = try stack(calls)
        _ = calls.take()

        _ = try stack.coordinator.save(noting(try newBook(stack), calls))

        #expect(calls.take() == ["begin with keys", "pack", "prepare", "commit"])
    }

    @Test func `begin after new objects are packed if keys are reserved separately`() throws {
        let calls = CallList(reservesApart: true)
        let stack = try stack(calls)
        _ = calls.take()

        let result = try stack.coordinator.save(noting(try newBook(stack), calls))

        #expect(calls.take() == ["keys", "pack", "begin", "prepare", "commit"])
        #expect(result.permanentIDs.count == 1)
        #expect(try stack.titles(try stack.plan(stack.book)) == ["new"])
    }

    @Test func `only reserve keys if keys are reserved separately and a row cannot be packed`()
        throws
    {
        let calls = CallList(reservesApart: true)
        let stack = try stack(calls)
        let changes = try newBook(stack)
        (changes.packer as? ValuePacker)?.values[changes.inserted[0]] = ["title": 7]
        _ = calls.take()

        #expect(throws: GraphError.self) { try stack.coordinator.save(changes) }

        #expect(calls.take() == ["keys"])
    }

    @Test func `for permanent IDs are one if keys are reserved separately`() throws {
        let calls = CallList(reservesApart: true)
        let stack = try stack(calls)
        _ = calls.take()

        let ids = try stack.coordinator.permanentIDs(
            for: [stack.newID(stack.book, 1), stack.newID(stack.author, 2)], assignments: [:])

        #expect(calls.take() == ["keys"])
        #expect(ids.allSatisfy { !$0.isTemporary })
    }

    private func newBook(_ stack: LibraryStack) throws -> LibraryChanges {
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        let id = stack.newID(stack.book, 1)
        packer.values[id] = ["title": "new"]
        changes.inserted = [id]
        return changes
    }

    /// Returns the change set, changed to record when its first row is packed.
    private func noting(_ changes: LibraryChanges, _ calls: CallList) -> LibraryChanges {
        var noted = LibraryChanges(NotingPacker(changes.packer, calls))
        noted.inserted = changes.inserted
        noted.updated = changes.updated
        return noted
    }
}

/// Forwards to another packer and records when packing begins.
private final class NotingPacker: ChangedObjects {
    private let base: any ChangedObjects
    private let calls: CallList
    private var hasBegun = false

    init(_ base: any ChangedObjects, _ calls: CallList) {
        self.base = base
        self.calls = calls
    }

    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        if !hasBegun { calls.note("pack") }
        hasBegun = true
        try base.pack(id, key: key, version: version, into: &writer, resolving: permanent)
    }
}
