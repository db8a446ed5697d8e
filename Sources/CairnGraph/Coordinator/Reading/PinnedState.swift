import CairnStore

/// One state of each store of a coordinator, all from the same moment.
final class PinnedState: Sendable {
    let snapshots: SnapshotSet

    init(_ snapshots: SnapshotSet) {
        self.snapshots = snapshots
    }

    deinit { snapshots.end() }
}
