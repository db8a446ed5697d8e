import CairnModel
import CairnStore

/// One state of each of some stores, all of one moment.
struct SnapshotSet: Sendable {
    struct Member: Sendable {
        let attached: AttachedStore
        let snapshot: any StoreSnapshot
    }

    let members: [Member]

    /// How often states are taken anew while stores move, before the last ones have to do: a store
    /// that is written to all the time must not keep readers out.
    private static let mostAttempts = 8

    /// Takes the newest state of each store, again while one moves under it.
    static func take(
        of stores: [AttachedStore], gate: CommitGate
    ) throws(StoreError) -> SnapshotSet {
        guard stores.count > 1 else { return try SnapshotSet(stores) }
        guard stores.allSatisfy(\.capabilities.readsDuringSave) else {
            // Such a store has its readers wait until a save is over, so a half committed one is
            // not seen; and the saver waits for the gate, so waiting with the gate would not end.
            return try takeSteady(stores)
        }
        return try gate.withoutCommits { () throws(StoreError) in try takeSteady(stores) }
    }

    private static func takeSteady(_ stores: [AttachedStore]) throws(StoreError) -> SnapshotSet {
        var set = try SnapshotSet(stores)
        for _ in 1..<mostAttempts {
            let again = try SnapshotSet(stores)
            // No store moved since the first was read: all states are of this moment.
            let isSteady = again.generations == set.generations
            (isSteady ? again : set).end()
            if isSteady { break }
            set = again
        }
        return set
    }

    private init(_ stores: [AttachedStore]) throws(StoreError) {
        var members: [Member] = []
        for store in stores {
            do throws(StoreError) {
                members.append(Member(attached: store, snapshot: try store.snapshot()))
            } catch {
                Self(members: members).end()
                throw error
            }
        }
        self.members = members
    }

    private init(members: [Member]) {
        self.members = members
    }

    /// Ends the states: nothing more is read from them.
    func end() {
        for member in members { member.snapshot.end() }
    }

    /// The states of some of the stores.
    func filtered(_ isWanted: (AttachedStore) -> Bool) -> SnapshotSet {
        SnapshotSet(members: members.filter { isWanted($0.attached) })
    }

    /// How many matches are taken from the engines at a time: as many as each of them wants.
    var rowsPerBatch: Int {
        max(1, members.map(\.snapshot.readPreferences.rowsPerBatch).min() ?? 1)
    }

    private var generations: [StoreGeneration] { members.map(\.snapshot.generation) }
}
