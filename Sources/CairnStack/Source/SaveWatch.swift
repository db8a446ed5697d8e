import CairnStore
import Foundation

/// Reports the progress of a save, and stops the save if the progress is cancelled.
package struct SaveWatch: Sendable {
    let progress: Progress

    package init(progress: Progress) {
        self.progress = progress
    }

    private var isCancelled: Bool { progress.isCancelled || Task.isCancelled }

    /// Sets the total. When a save is retried after a conflict, counting starts again.
    package func begin(objectCount: Int) {
        progress.totalUnitCount = Int64(objectCount)
        progress.completedUnitCount = 0
    }

    /// Throws an error if the progress or the task is cancelled.
    ///
    /// - Throws: `.saveCancelled`.
    package func checkCancelled() throws(GraphError) {
        if isCancelled { throw .saveCancelled }
    }

    /// Returns the reporter that receives the progress of one store.
    ///
    /// - Parameter count: The number of objects that were already written to other stores.
    func reporter(after count: Int) -> SaveReporter {
        SaveReporter { written in
            // The last unit stands for the commit. An LMDB store may write a save twice, the second time
            // in a larger map.
            let completed = min(Int64(count + written), progress.totalUnitCount - 1)
            if completed > progress.completedUnitCount { progress.completedUnitCount = completed }
            return !isCancelled
        }
    }

    /// Completes all units, after the commit.
    package func finish() {
        progress.completedUnitCount = progress.totalUnitCount
    }

    /// Completes a progress, also one of a save that had nothing to save. Without a unit, a progress is never
    /// finished, nor is its parent.
    package static func finish(_ progress: Progress?, unitCount: Int = 0) {
        progress?.totalUnitCount = Int64(max(1, unitCount))
        progress?.completedUnitCount = Int64(max(1, unitCount))
    }
}
