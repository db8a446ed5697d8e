import CairnStore
import Foundation

/// Tells a progress how far a save has come, and ends the save if the progress is cancelled.
struct SaveWatch: Sendable {
    let progress: Progress

    private var isCancelled: Bool { progress.isCancelled || Task.isCancelled }

    /// Sets the total. A save that is tried again after a conflict counts from the start.
    func begin(objectCount: Int) {
        progress.totalUnitCount = Int64(objectCount)
        progress.completedUnitCount = 0
    }

    /// - Throws: `.saveCancelled`.
    func checkCancelled() throws(GraphError) {
        if isCancelled { throw .saveCancelled }
    }

    /// Returns what one store reports to.
    ///
    /// - Parameter count: how many objects other stores have written before.
    func reporter(after count: Int) -> SaveReporter {
        SaveReporter { written in
            // The last unit is the commit's. An LMDB store may write a save twice, in a larger map.
            let completed = min(Int64(count + written), progress.totalUnitCount - 1)
            if completed > progress.completedUnitCount { progress.completedUnitCount = completed }
            return !isCancelled
        }
    }

    /// Completes every unit, after the commit.
    func finish() {
        progress.completedUnitCount = progress.totalUnitCount
    }
}
