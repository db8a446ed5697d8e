import CairnFiles
import CairnThreads
import Synchronization

/// Watches stores and reports their new states, including those saved by other processes.
///
/// One thread serves all stores. It looks at a store when the system reports a change of the
/// store's files, when it is told about a save, and at intervals, to find changes without an event.
/// It reports the state that the store returns (``PersistentStore/newestGeneration()``), so an
/// event without a commit causes no report. While no store is watched, there is no thread and no
/// descriptor.
///
/// | Stores | Events | Interval between looks without events |
/// |---|---|---|
/// | in files | from their folders (inotify) | five seconds, or one second if events are not available |
/// | with a service | none | one second |
/// | with a single handle, such as those in memory | saves of that handle | none |
package final class StoreWatcher: Sendable {
    /// The watcher of this process.
    package static let shared = StoreWatcher()

    /// The name of the thread, as Linux shows it.
    package static let threadName = "cairn-watch"

    private struct State {
        var watches: [StoreWatch] = []
        var hasThread = false
        /// Wakes up the running thread. `nil` if the process cannot open more descriptors.
        var wakeUp: WakeUp?
    }

    private let pace: WatchPace
    private let state = Mutex(State())

    package init(pace: WatchPace = WatchPace()) {
        self.pace = pace
    }

    func add(_ watch: StoreWatch) {
        let (wakeUp, startsThread) = state.withLock { state in
            state.watches.append(watch)
            let startsThread = !state.hasThread
            if startsThread {
                state.hasThread = true
                state.wakeUp = WakeUp()
            }
            return (state.wakeUp, startsThread)
        }
        if startsThread {
            NamedThread.start(Self.threadName) { self.run(wakeUp) }
        } else {
            wakeUp?.signal()
        }
    }

    func remove(_ watch: StoreWatch) {
        state.withLock { $0.watches.removeAll { $0 === watch } }
        wakeUp()
    }

    /// Ends the thread's current wait.
    func wakeUp() { state.withLock { $0.wakeUp }?.signal() }

    // MARK: The thread

    private func run(_ wakeUp: WakeUp?) {
        var round = WatchRound(pace)
        while let watches = watchesOrEnd() {
            round.take(watches)
            round.lookAtDueStores()
            round.wait(wakeUp)
        }
    }

    /// Returns the watches, or `nil` if there are none and the thread has to end.
    private func watchesOrEnd() -> [StoreWatch]? {
        state.withLock { state in
            if state.watches.isEmpty {
                state.hasThread = false
                state.wakeUp = nil
                return nil
            }
            return state.watches
        }
    }
}

/// The intervals at which a watcher looks at its stores.
package struct WatchPace: Sendable {
    /// The pauses between the looks after an event.
    ///
    /// Several looks are needed because a commit may become visible only after the event. SQLite,
    /// for example, first writes and synchronizes its log, and then makes the commit valid in an
    /// index in shared memory, which causes no event.
    package var pausesAfterEvent: [Duration] = [
        .milliseconds(10), .milliseconds(30), .milliseconds(100), .milliseconds(300),
    ]
    /// The minimum time between two looks, so that many saves result in one report.
    package var shortestPause: Duration = .milliseconds(10)
    /// The time between looks at a shared store if the system does not report its changes.
    package var interval: Duration = .seconds(1)
    /// The time between looks at a store if the system reports its changes.
    package var intervalWithEvents: Duration = .seconds(5)
    /// The maximum duration of one look.
    package var longestLook: Duration = .seconds(5)
    /// Whether to request events from the system.
    package var usesEvents = true

    /// Creates the default pace.
    package init() {}
}
