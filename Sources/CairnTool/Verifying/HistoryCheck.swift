import Cairn
import CairnStore

/// Compares a store's history with its rows: an object whose last change is a deletion has no row, and any
/// other changed object has one.
struct HistoryCheck {
    private let store: any HistoryStore

    /// Returns `nil` if the store keeps no history.
    init?(_ store: any PersistentStore) throws {
        guard let store = store as? any HistoryStore else { return nil }
        do {
            _ = try store.newestHistoryPosition()
        } catch StoreError.historyUnavailable {
            return nil
        }
        self.store = store
    }

    /// Returns the disagreements. Objects that others change meanwhile are left out.
    ///
    /// - Throws: `StoreError`.
    func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
        var changes = LastChanges()
        try changes.read(from: store)
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        var later = LastChanges(after: changes.position)
        try later.read(from: store)
        var ids = changes.kinds.keys.filter { later.kinds[$0] == nil }[...]
        var found: [StoreDisagreement] = []
        while !ids.isEmpty {
            let some = Array(ids.prefix(10_000))
            ids = ids.dropFirst(some.count)
            let stored = Set(try snapshot.rows(for: some).ids)
            for id in some {
                let isDeleted = changes.kinds[id] == .delete
                guard isDeleted == stored.contains(id) else { continue }
                found.append(
                    StoreDisagreement(
                        location: "the history",
                        detail: "\(id.shortName(in: store.request.model)) "
                            + (isDeleted
                                ? "was deleted, but has a row" : "has no row, but was not deleted")
                    ))
            }
        }
        return found.sorted { $0.detail < $1.detail }
    }

    /// The kind of the last change of each object.
    private struct LastChanges {
        var kinds: [ObjectID: PersistentHistoryChangeType] = [:]
        var position: HistoryPosition?

        init(after position: HistoryPosition? = nil) { self.position = position }

        mutating func read(from store: any HistoryStore) throws(StoreError) {
            while true {
                let page = try store.history(after: position, limit: 1_000)
                guard let last = page.last else { return }
                for change in page.lazy.flatMap(\.changes) {
                    kinds[change.changedObjectID] = change.changeType
                }
                position = last.position
            }
        }
    }
}
