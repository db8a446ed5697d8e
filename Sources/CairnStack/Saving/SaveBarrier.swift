import CairnSaveJournal
import CairnStore
import CairnThreads
import Foundation

/// Keeps all savers of several stores waiting for an instant, in which the states of the stores belong together.
///
/// Takes the save locks in the order in which saves take them, so that a saver and the barrier never wait for
/// each other. A save that is finished has to remove its journal before its stores belong together for others,
/// so the barrier waits for that, for a short time.
struct SaveBarrier {
    /// The stores, sorted by identifier.
    private let stores: [AttachedStore]

    /// How long the save locks are held while another process removes its journal.
    private static let longestWait: Duration = .milliseconds(100)

    init(_ stores: [AttachedStore]) {
        self.stores = stores.sorted { $0.identifier < $1.identifier }
    }

    /// Runs a body that takes the newest states, while no one saves to the stores that are open for saving, and no
    /// save to several stores is unfinished. First finishes interrupted saves.
    ///
    /// A store that others can only read is not locked: its newest state is always that of a finished save.
    /// Neither is a store that is alone, because each of its states is one between two saves.
    ///
    /// - Throws: `.busy` if other saves took longer than the `timeout` option; `.savePending`, `.saveInDoubt`,
    ///   `.cancelled`, `.deadlineExceeded`, and the errors of beginning a save; the errors of the body.
    func run<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        var timeout = Duration.zero
        for store in stores { timeout = max(timeout, try store.store.request.options.timeout()) }
        let end = ContinuousClock.now + timeout
        while true {
            if let result = try attempt(body) { return result }
            try StoreDeadline.check()
            // A store that is open for saving can finish the save for all of its stores.
            let pending = stores.filter { !$0.unfinishedSaves.isEmpty }
            if let first = pending.first(where: { !$0.isReadOnly }) ?? pending.first {
                try finish(first)
            } else if ContinuousClock.now > end {
                throw .busy(stores[0].location, waited: timeout)
            }
        }
    }

    /// Finishes the unfinished save of a store. Waits while a process is working on it.
    private func finish(_ pending: AttachedStore) throws(StoreError) {
        guard pending.isReadOnly, let file = pending.unfinishedSaves.file else {
            return try pending.unfinishedSaves.finish()
        }
        try pending.unfinishedSaves.whileFinished([file], mayFinish: false) {}
    }

    /// Returns `nil` if a save to several stores is unfinished. The locks have been released then.
    private func attempt<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        var saves: [any SaveTransaction] = []
        defer { for save in saves.reversed() { save.rollback() } }
        if stores.count > 1 {
            for store in stores where !store.isReadOnly && store.capabilities.readsDuringSave {
                saves.append(
                    try TurnExecutor.whileWaiting(toSave: true) { () throws(StoreError) in
                        try store.store.beginSave()
                    })
                if store.isReplaced { throw .closed(store.location) }
            }
        }
        guard stores.count > 1 else {
            return stores.allSatisfy(\.unfinishedSaves.isEmpty) ? try body() : nil
        }
        let files = stores.compactMap(\.unfinishedSaves.file)
        let wait = CancellableWait(until: .now + Self.longestWait)
        repeat {
            let result = try SaveRecovery.ifSettled(files) { () throws(StoreError) -> Result? in
                stores.allSatisfy(\.unfinishedSaves.isEmpty) ? try body() : nil
            }
            if let result = result ?? nil { return result }
            TurnExecutor.whileWaiting { wait.sleep(atMost: .milliseconds(1)) }
        } while wait.ending == nil
        return nil
    }
}
