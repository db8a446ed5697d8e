import CairnModel
import CairnStore
import CairnThreads

/// One state of each of several stores, all from the same moment.
package struct SnapshotSet: Sendable {
    struct Member: Sendable {
        let attached: AttachedStore
        let snapshot: any StoreSnapshot
    }

    let members: [Member]

    /// The maximum number of times that states are taken while stores change. After that, the last
    /// states are used, because a store that is written to all the time must not block readers.
    private static let mostAttempts = 8

    /// Takes the newest state of each store. Takes all states again if a store changes in the meantime.
    static func take(
        of stores: [AttachedStore], gate: CommitGate
    ) throws(StoreError) -> SnapshotSet {
        guard stores.count > 1 else { return try SnapshotSet(stores) }
        guard stores.allSatisfy(\.capabilities.readsDuringSave) else {
            // Readers of such a store wait until a save is over, so they never see half of a commit. The
            // gate must not be held here: the save waits for the gate, so waiting for the store would be
            // a deadlock.
            return try takeSteady(stores).set
        }
        let newest = try SnapshotSet(stores)
        // These states were taken together before. States that belong together remain so. Therefore, if
        // nobody saves, reading several stores costs one snapshot of each and no lock.
        if gate.knows(newest) { return newest }
        newest.end()
        let files = stores.compactMap(\.unfinishedSaves.file)
        if files.count > 1 { return try takeWhole(stores, files, gate) }
        return try takeAndNote(stores, gate)
    }

    /// Takes states while no process is in the middle of a save to several stores.
    private static func takeWhole(
        _ stores: [AttachedStore], _ files: [PendingSaveFile], _ gate: CommitGate
    ) throws(StoreError) -> SnapshotSet {
        let finisher = stores.first { !$0.isReadOnly && $0.unfinishedSaves.file != nil }
        let saves = (finisher ?? stores[0]).unfinishedSaves
        return try TurnExecutor.whileWaiting { () throws(StoreError) in
            try saves.whileFinished(files, mayFinish: finisher != nil) { () throws(StoreError) in
                try takeAndNote(stores, gate)
            }
        }
    }

    /// Takes states while this coordinator is not in the middle of a save to several stores, and records
    /// that the states belong together.
    private static func takeAndNote(
        _ stores: [AttachedStore], _ gate: CommitGate
    ) throws(StoreError) -> SnapshotSet {
        let (set, isSteady) = try gate.withoutCommits { () throws(StoreError) in
            try takeSteady(stores)
        }
        if isSteady { gate.note(set) }
        return set
    }

    private static func takeSteady(
        _ stores: [AttachedStore]
    ) throws(StoreError) -> (set: SnapshotSet, isSteady: Bool) {
        var set = try SnapshotSet(stores)
        for _ in 1..<mostAttempts {
            let again = try SnapshotSet(stores)
            // No store has changed since the first one was read, so all states are from the same moment.
            let isSteady = again.generations == set.generations
            (isSteady ? again : set).end()
            if isSteady { return (set, true) }
            set = again
        }
        return (set, false)
    }

    private init(_ stores: [AttachedStore]) throws(StoreError) {
        var members: [Member] = []
        for store in stores {
            do {
                members.append(Member(attached: store, snapshot: try store.snapshot()))
            } catch {
                Self(members: members).end()
                throw error
            }
        }
        self.members = members
    }

    init(members: [Member]) {
        self.members = members
    }

    /// Ends all snapshots. Nothing can be read from them afterwards.
    func end() {
        for member in members { member.snapshot.end() }
    }

    /// Returns the states of the stores that satisfy a condition.
    func filtered(_ isWanted: (AttachedStore) -> Bool) -> SnapshotSet {
        SnapshotSet(members: members.filter { isWanted($0.attached) })
    }

    /// The number of matches to get from the engines at a time: the smallest number that any of them
    /// prefers.
    var rowsPerBatch: Int {
        max(1, members.map(\.snapshot.readPreferences.rowsPerBatch).min() ?? 1)
    }

    var openings: [UInt64] { members.map(\.attached.opening) }
    var generations: [StoreGeneration] { members.map(\.snapshot.generation) }
}
