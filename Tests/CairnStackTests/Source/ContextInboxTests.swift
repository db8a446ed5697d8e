import CairnModel
import CairnStore
import Testing

@testable import CairnStack

@Suite struct `The inbox of a context` {
    private func id(_ key: Int64) -> ObjectID {
        ObjectID(
            store: StoreNumber(rawValue: 1), rootEntity: EntityNumber(1), entity: EntityNumber(1),
            key: key)
    }

    private func changes(
        inserted: [Int64] = [], updated: [Int64] = [], deleted: [Int64] = []
    ) -> ObjectIDChanges {
        var changes = ObjectIDChanges()
        changes.inserted = Set(inserted.map(id))
        changes.updated = Set(updated.map(id))
        changes.deleted = Set(deleted.map(id))
        return changes
    }

    @Test func `that nobody reads keeps a bounded number of saves, and all of their changes`() {
        let inbox = ContextInbox()
        inbox.keepSaves {}
        let count = Int64(10 * ContextInbox.saveLimit)

        for number in 0..<count { inbox.tell(saved: changes(updated: [number])) }

        let saves = inbox.take(\.saves)
        #expect(saves.count == ContextInbox.saveLimit)
        #expect(saves.first == changes(updated: [0]))
        #expect(saves.reduce(into: Set()) { $0.formUnion($1.updated) }.count == Int(count))
        #expect(inbox.isEmpty)
    }

    @Test func `puts changes together in their order`() {
        var all = changes(inserted: [1, 2], updated: [3], deleted: [4])

        all.append(changes(inserted: [5], updated: [1, 6], deleted: [2, 3]))
        #expect(all == changes(inserted: [1, 5], updated: [6], deleted: [3, 4]))

        // A deletion was undone.
        all.append(changes(inserted: [3]))
        #expect(all == changes(inserted: [1, 5], updated: [3, 6], deleted: [4]))
    }
}
