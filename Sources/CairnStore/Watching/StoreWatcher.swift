import CairnFiles
import CairnThreads
import Synchronization

/// Looks at stores and reports their new states, those that other processes saved included.
///
/// One thread serves all stores. It looks when the system tells of a change of a store's files, when it
/// is told that somebody saved, and now and then, so that a change without an event is found, too. What
/// it reports is what the store itself says (``PersistentStore/newestGeneration()``): an event without
/// a commit is no report. There is no thread and no descriptor while no store is watched.
///
/// | Stores | Events | Looks without events |
/// |---|---|---|
/// | files | of their folders (inotify) | every five seconds; every second if there are no events |
/// | with a service | none | every second |
/// | of one handle, such as those in memory | own saves | none |
package final class StoreWatcher: Sendable {
    /// The one of this process.
    package static let shared = StoreWatcher()

    /// What Linux shows of the thread.
    package static let threadName = "cairn-watch"

    private struct State {
        var watches: [StoreWatch] = []
        var hasThread = false
        /// Of the thread that runs. `nil` if the process may have no more descriptors.
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

    /// Ends the thread's wait.
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

    /// Returns what to watch. Returns `nil` if there is nothing: the thread has to end then.
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
