import CairnMemory
import CairnTesting
import StackSupport
import Testing

@testable import CairnEngineKit
@testable import CairnModel
@testable import CairnObjects
@testable import CairnQueries
@testable import CairnRows
@testable import CairnStack

@Suite struct `Calls of a save to its store` {
    private let faults = StoreFaults()
    private let save: [StoreOperation] = [.beginSave, .prepare, .commit, .commitAnswer]

    /// Returns a stack whose store assigns keys when a save begins, or separately.
    private func stack(reservesApart: Bool = false) throws -> LibraryStack {
        let stack = try LibraryStack()
        try stack.add(
            faults: faults, varied: [VariedStore.reservesApart: .boolean(reservesApart)])
        faults.resetCallCounts()
        return stack
    }

    @Test func `are three for 10,000 new objects`() throws {
        let stack = try stack()

        try ContextHandle(coordinator: stack.coordinator).performAndWait { context in
            for _ in 0..<10_000 { _ = try context.insertNewObject(forEntityName: "Book") }
            try context.save()
        }

        #expect(faults.calls.filter { $0 != .reserveKeys } == save)
        #expect(try stack.coordinator.count(try stack.plan(stack.book), in: nil) == 10_000)
    }

    @Test func `are three for 10,000 changed objects, which are packed before the first`() throws {
        let stack = try stack()
        let ids = try stack.saveBooks((0..<10_000).map { "\($0)" })
        let changes = try stack.update(
            Dictionary(uniqueKeysWithValues: ids.map { ($0, ["title": .string("new")]) }))
        faults.resetCallCounts()

        let callsBeforePacking = try saveNotingCalls(changes, in: stack)

        #expect(callsBeforePacking == [])
        #expect(faults.calls == save)
    }

    @Test func `begin before new objects are packed if the save assigns the keys`() throws {
        let stack = try stack()

        let callsBeforePacking = try saveNotingCalls(try newBook(stack), in: stack)

        #expect(callsBeforePacking == [.reserveKeys, .beginSave])
        #expect(faults.calls == [.reserveKeys] + save)
    }

    @Test func `begin after new objects are packed if keys are reserved separately`() throws {
        let stack = try stack(reservesApart: true)

        let callsBeforePacking = try saveNotingCalls(try newBook(stack), in: stack)

        #expect(callsBeforePacking == [.reserveKeys])
        #expect(faults.calls == [.reserveKeys] + save)
        #expect(try stack.titles(try stack.plan(stack.book)) == ["new"])
    }

    @Test func `only reserve keys if keys are reserved separately and a row cannot be packed`()
        throws
    {
        let stack = try stack(reservesApart: true)
        let changes = try newBook(stack)
        (changes.packer as? ValuePacker)?.values[changes.inserted[0]] = ["title": 7]

        #expect(throws: GraphError.self) { try stack.coordinator.save(changes) }

        #expect(faults.calls == [.reserveKeys])
    }

    @Test func `for permanent IDs are one if keys are reserved separately`() throws {
        let stack = try stack(reservesApart: true)

        let ids = try stack.coordinator.permanentIDs(
            for: [stack.newID(stack.book, 1), stack.newID(stack.author, 2)], assignments: [:])

        #expect(faults.calls == [.reserveKeys])
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

    /// Saves the change set, and returns the calls before its first row was packed.
    private func saveNotingCalls(
        _ changes: LibraryChanges, in stack: LibraryStack
    ) throws -> [StoreOperation]? {
        let packer = NotingPacker(changes.packer, faults)
        var noted = LibraryChanges(packer)
        noted.inserted = changes.inserted
        noted.updated = changes.updated
        _ = try stack.coordinator.save(noted)
        return packer.callsBefore
    }
}

/// Forwards to another packer and records the calls before packing begins.
private final class NotingPacker: ChangedObjects {
    private let base: any ChangedObjects
    private let faults: StoreFaults
    private(set) var callsBefore: [StoreOperation]?

    init(_ base: any ChangedObjects, _ faults: StoreFaults) {
        self.base = base
        self.faults = faults
    }

    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        callsBefore = callsBefore ?? faults.calls
        try base.pack(id, key: key, version: version, into: &writer, resolving: permanent)
    }
}
