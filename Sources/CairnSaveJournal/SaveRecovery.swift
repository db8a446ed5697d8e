import CairnFiles
import CairnStore
import Foundation

/// Finishes saves over several stores whose process died between the journal and the last commit, or
/// could not write one of the stores.
package struct SaveRecovery: Sendable {
    /// Returns the engine of a type, for the store at a location.
    let engine: @Sendable (StoreType, StoreLocation) throws(StoreError) -> any FileStore.Type
    /// Whether a save is finished, or given up, without the stores that cannot be opened for writing,
    /// and without a journal that is lost.
    let overridesDoubt: Bool
    /// How long to wait for the locks of others.
    let timeout: Duration

    /// - Parameters:
    ///   - overridesDoubt: whether what would be `.saveInDoubt` is decided: the stores that can be
    ///     written get the save if there is a journal, and stay as they are if there is none.
    ///   - timeout: how long to wait for the locks of others.
    ///   - engine: returns the engine of a type, for the store at a location.
    package init(
        overridesDoubt: Bool = false, timeout: Duration,
        engine:
            @escaping @Sendable (
                _ type: StoreType, _ location: StoreLocation
            ) throws(StoreError) -> any FileStore.Type
    ) {
        self.overridesDoubt = overridesDoubt
        self.timeout = timeout
        self.engine = engine
    }

    /// Finishes the save that a store takes part in, if there is one, before the store is used. Waits
    /// while a live process is at it.
    ///
    /// - Throws: as ``finish(_:)``; `.saveInDoubt` also if the save was finished without this store.
    package func settle(_ pending: PendingSaveFile) throws(StoreError) {
        try finish(pending, requiresShare: true)
    }

    /// Finishes the save that a store takes part in, if there is one. Waits while a live process is at
    /// it.
    ///
    /// - Throws: `.savePending` if the save has taken place and a store could not be written yet;
    ///   `.saveInDoubt` if it cannot be known or done; `.unsupported` for a journal of a later version;
    ///   `.busy`, `.cancelled`, `.deadlineExceeded`, `.fileFailure`. The files of the save stay then.
    package func finish(_ pending: PendingSaveFile) throws(StoreError) {
        try finish(pending, requiresShare: false)
    }

    private func finish(
        _ pending: PendingSaveFile, requiresShare: Bool
    ) throws(StoreError) {
        while pending.exists {
            guard let files = try SaveFiles(beside: pending) else { return }
            let locks = try FolderLocks.wait(
                for: files.folders, isShared: false, timeout: timeout, at: pending.location)
            defer { withExtendedLifetime(locks) {} }
            // What was read before the locks were there may be finished since.
            guard let now = try SaveFiles(beside: pending) else { return }
            guard now.id == files.id, now.folders == files.folders else { continue }
            try finish(now, requiresShare: requiresShare)
            return
        }
        try removeLeftover(of: pending)
    }

    /// Finishes the save that a store takes part in, unless a live process is at it or looks at the
    /// stores at this moment.
    ///
    /// - Returns: `false` if the locks are taken: the save may not be finished.
    /// - Throws: as ``settle(_:)``.
    package func settleIfFree(_ pending: PendingSaveFile) throws(StoreError) -> Bool {
        guard let files = try SaveFiles(beside: pending) else { return true }
        let locks: FolderLocks?
        do throws(FileFailure) {
            locks = try FolderLocks(ifFree: files.folders, isShared: false)
        } catch {
            throw .fileFailure(error)
        }
        guard let locks else { return false }
        defer { withExtendedLifetime(locks) {} }
        guard let now = try SaveFiles(beside: pending) else { return true }
        guard now.id == files.id, now.folders == files.folders else { return false }
        try finish(now, requiresShare: true)
        return true
    }

    /// Runs a body while no save over several stores of these folders is between its first and its last
    /// commit. Finishes those that no process is at any more.
    ///
    /// - Parameters:
    ///   - files: those of the stores that the body looks at.
    ///   - mayFinish: whether unfinished saves are finished. If not, they are an error.
    ///   - body: must not wait for a save.
    /// - Throws: what the body throws; otherwise as ``settle(_:)``.
    package func whileSettled<Result>(
        _ files: [PendingSaveFile], mayFinish: Bool, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        while true {
            switch try whileLocked(files, body) {
            case .settled(let result): return result
            case .unfinished(let pending):
                guard mayFinish else { throw try pendingError(of: pending) }
                try settle(pending)
            }
        }
    }

    /// What a body came to that must not run between the first and the last commit of a save.
    private enum Attempt<Result> {
        case settled(Result)
        /// It was not run because of this.
        case unfinished(PendingSaveFile)
    }

    /// The locks are free again when it returns.
    private func whileLocked<Result>(
        _ files: [PendingSaveFile], _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Attempt<Result> {
        guard let first = files.first else { return .settled(try body()) }
        let locks = try FolderLocks.wait(
            for: files.map(\.folder), isShared: true, timeout: timeout, at: first.location)
        defer { withExtendedLifetime(locks) {} }
        if let pending = files.first(where: \.exists) { return .unfinished(pending) }
        return .settled(try body())
    }

    private func pendingError(of pending: PendingSaveFile) throws(StoreError) -> StoreError {
        let detail = "its stores are open for reading only here"
        guard let files = try SaveFiles(beside: pending) else {
            return .savePending(
                InterruptedSave(id: nil, stores: [pending.location], detail: detail))
        }
        return .savePending(files.interruption(detail))
    }

    /// Removes what a process left that died before its save had any other file.
    private func removeLeftover(of pending: PendingSaveFile) throws(StoreError) {
        guard pending.file.hasLeftover else { return }
        do throws(FileFailure) {
            let locks = try FolderLocks(ifFree: [pending.folder], isShared: false)
            guard locks != nil, !pending.exists else { return }
            try pending.file.remove()
        } catch {
            // The file does no harm: the next save overwrites it.
        }
    }

    /// Finishes the save while its folders are locked.
    private func finish(_ files: SaveFiles, requiresShare: Bool) throws(StoreError) {
        guard files.nameTheStore else {
            guard overridesDoubt else {
                throw files.doubt(
                    "\(files.pending.location) is not one of them: it was copied or renamed since."
                        + " Give a renamed store its former name")
            }
            return try files.dropThoseOfTheStore()
        }
        switch files.state {
        case .journal(let journal):
            try JournalReplay(recovery: self, files: files, journal: journal).run()
        case .noJournal(let pointer, let loss):
            try LostJournal(recovery: self, files: files, pointer: pointer, loss: loss).run()
        case .noPointer(let detail):
            guard overridesDoubt else {
                throw files.doubt(
                    "“\(files.pending.file.path)”, which says what is pending, is damaged: \(detail)"
                )
            }
            try files.drop()
        }
        // Only the override of doubt can leave it.
        guard requiresShare, files.pending.exists else { return }
        throw files.doubt("\(files.pending.location) still lacks it")
    }
}
