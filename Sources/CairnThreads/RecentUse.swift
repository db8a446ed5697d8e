import Foundation
import Synchronization

/// The processor time that each task has used recently, so that tasks that have used little of it
/// go first.
///
/// The times are stored in a table of fixed size, by the task's hash. Tasks with the same entry
/// count as one task.
final class RecentUse: Sendable {
    private struct Use {
        var time: Duration = .zero
        var noted: ContinuousClock.Instant = .now
    }

    /// The time after which the processor time that a task has used counts half.
    private static let halfLife: Duration = .milliseconds(100)
    private static let entryCount = 1024
    private static let unit: Duration = .microseconds(100)

    private let entries = Mutex([Use](repeating: Use(), count: entryCount))

    /// The number of levels of use. Level 0 is less than 0.1 ms. The lower bound of each higher
    /// level is twice that of the level below.
    static let levelCount = 12

    /// Returns the level of a task's recent use.
    func level(ofTask task: Int) -> Int {
        Self.level(of: entries.withLock { Self.decayed($0[Self.index(of: task)]) })
    }

    /// Returns the level of a time.
    static func level(of time: Duration) -> Int {
        let units = UInt64(max(0, time / unit))
        return min(UInt64.bitWidth - units.leadingZeroBitCount, levelCount - 1)
    }

    /// Records processor time that a task has used.
    func add(_ time: Duration, to task: Int) {
        entries.withLock { entries in
            let index = Self.index(of: task)
            entries[index] = Use(time: Self.decayed(entries[index]) + time)
        }
    }

    private static func decayed(_ use: Use) -> Duration {
        use.time / pow(2, use.noted.duration(to: .now) / halfLife)
    }

    private static func index(of task: Int) -> Int {
        Int(UInt(bitPattern: task) % UInt(entryCount))
    }

    /// The processor time that the calling thread has used.
    static var ofThread: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
