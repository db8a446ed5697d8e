import Synchronization

/// One state of each store of a coordinator, all from the same moment.
package final class PinnedState: Sendable {
    private let current: Mutex<SnapshotSet>

    var snapshots: SnapshotSet { current.withLock { $0 } }

    init(_ snapshots: SnapshotSet) {
        current = Mutex(snapshots)
    }

    deinit { snapshots.end() }

    /// Reads a state of another store instead of the state of a store that it has replaced.
    func replace(_ old: AttachedStore, with new: SnapshotSet.Member) {
        current.withLock { set in
            set = SnapshotSet(
                members: set.members.map { $0.attached === old ? new : $0 })
        }
    }
}
