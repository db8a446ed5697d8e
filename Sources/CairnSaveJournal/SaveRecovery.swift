import CairnEngineKit
import CairnFiles
import CairnStore
import Foundation

/// Finishes saves over several stores whose process died between writing the journal and the last
/// commit, or could not write one of the stores.
package struct SaveRecovery: Sendable {
    /// Asks the store of a service, which has an identifier and can be opened as a request says, whether it has a save.
    package typealias ServiceAnswer =
        @Sendable (
            _ type: StoreType, _ identifier: String, _ request: OpenRequest, _ save: SaveID
        ) throws(StoreError) -> CommitOutcome

    /// Returns the engine of a type, for the store at a location.
    let engine: @Sendable (StoreType, StoreLocation) throws(StoreError) -> any FileStore.Type
    /// Asks the store of a service whether it has a save.
    let service: ServiceAnswer
    /// Whether a save is finished or given up even if stores cannot be opened for writing or the
    /// journal is lost.
    let overridesDoubt: Bool
    /// How long to wait for locks that others hold.
    let timeout: Duration
    /// Called after a save was finished or given up, with the store that led to it, and with the
    /// stores that do not contain the save, or may not contain it, because the doubt was overridden.
    let whenFinished: @Sendable (StoreLocation, _ without: [StoreLocation]) -> Void

    /// - Parameters:
    ///   - overridesDoubt: whether to decide cases that are otherwise `.saveInDoubt`. If there is a
    ///     journal, the stores that can be written receive the save, except for those whose rows are
    ///     not the ones that the save changes. If there is no journal, all stores are left unchanged.
    ///   - timeout: how long to wait for locks that others hold.
    ///   - whenFinished: see ``whenFinished``.
    ///   - service: asks the store of a service whether it has a save.
    ///   - engine: returns the engine of a type, for the store at a location.
    package init(
        overridesDoubt: Bool = false, timeout: Duration,
        whenFinished: @escaping @Sendable (StoreLocation, [StoreLocation]) -> Void = { _, _ in },
        service: @escaping ServiceAnswer,
        engine:
            @escaping @Sendable (
                _ type: StoreType, _ location: StoreLocation
            ) throws(StoreError) -> any FileStore.Type
    ) {
        self.overridesDoubt = overridesDoubt
        self.timeout = timeout
        self.whenFinished = whenFinished
        self.service = service
        self.engine = engine
    }

    /// Finishes the save that a store takes part in, if there is one, before the store is used.
    /// Waits while a running process is working on the save.
    ///
    /// - Throws: the errors of ``finish(_:)``; `.saveInDoubt` is also thrown if the save was finished without
    ///   this store.
    package func settle(_ pending: PendingSaveFile) throws(StoreError) {
        try finish(pending, requiresShare: true)
    }

    /// Finishes the save that a store takes part in, if there is one. Waits while a running process
    /// is working on the save.
    ///
    /// - Throws: `.savePending` if the save has taken place and a store could not be written yet;
    ///   `.saveInDoubt` if something is unknown or impossible; `.unsupported` for a journal of a
    ///   later version; `.busy`, `.cancelled`, `.deadlineExceeded`, `.fileFailure`. The files of
    ///   the save are kept then.
    package func finish(_ pending: PendingSaveFile) throws(StoreError) {
        try finish(pending, requiresShare: false)
    }

    private func finish(
        _ pending: PendingSaveFile, requiresShare: Bool
    ) throws(StoreError) {
        let finished: Void? = try whileLocked(pending) { files throws(StoreError) in
            try finish(files, requiresShare: requiresShare)
        }
        if finished == nil { try removeLeftover(of: pending) }
    }

    /// Runs a body with the files of the save that a store takes part in, while the folders of the save are
    /// locked. Waits while a running process is working on the save. Returns `nil` if no save is pending.
    func whileLocked<Result>(
        _ pending: PendingSaveFile, _ body: (SaveFiles) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        while let files = try SaveFiles(beside: pending) {
            let locks = try HeldFile.waitToLock(
                files.folders, isShared: false, timeout: timeout, at: pending.location)
            defer { withExtendedLifetime(locks) {} }
            // The save that was read before the locks were taken may have been finished since.
            guard let now = try SaveFiles(beside: pending) else { return nil }
            if now.id == files.id, now.folders == files.folders { return try body(now) }
        }
        return nil
    }

    /// Finishes the save that a store takes part in, unless a running process is working on the
    /// save or is reading the stores at this moment.
    ///
    /// - Returns: `false` if the locks are held elsewhere, so that the save may be unfinished.
    /// - Throws: the errors of ``settle(_:)``.
    package func settleIfFree(_ pending: PendingSaveFile) throws(StoreError) -> Bool {
        guard let files = try SaveFiles(beside: pending) else { return true }
        let locks = try StoreError.onFiles(try HeldFile.locking(files.folders, isShared: false))
        guard let locks else { return false }
        defer { withExtendedLifetime(locks) {} }
        guard let now = try SaveFiles(beside: pending) else { return true }
        guard now.id == files.id, now.folders == files.folders else { return false }
        try finish(now, requiresShare: true)
        return true
    }

    /// Runs a body while no save over several stores of these folders is between its first and its
    /// last commit. First finishes saves on which no process is working any more.
    ///
    /// - Parameters:
    ///   - files: the files of the stores that the body reads.
    ///   - mayFinish: whether to finish unfinished saves. If `false`, an unfinished save is an
    ///     error.
    ///   - body: must not wait for a save.
    /// - Throws: the error that the body throws; otherwise the errors of ``settle(_:)``.
    package func whileSettled<Result>(
        _ files: [PendingSaveFile], mayFinish: Bool, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        while true {
            let unfinished: PendingSaveFile
            do {
                guard let first = files.first else { return try body() }
                let locks = try HeldFile.waitToLock(
                    files.map(\.folder), isShared: true, timeout: timeout, at: first.location)
                defer { withExtendedLifetime(locks) {} }
                guard let found = files.first(where: \.exists) else { return try body() }
                unfinished = found
            }
            // The locks have been released, because finishing a save takes them.
            guard mayFinish else { throw try pendingError(of: unfinished) }
            try settle(unfinished)
        }
    }

    /// Runs a body while no save over several stores of these folders is between its first and its last commit,
    /// unless a process is working on such a save at this moment, or has left one unfinished. Does not wait.
    ///
    /// - Parameters:
    ///   - files: the files of the stores that the body reads.
    ///   - body: must not wait for a save.
    /// - Returns: `nil` if the body was not run.
    /// - Throws: the error that the body throws; `.fileFailure`.
    package static func ifSettled<Result>(
        _ files: [PendingSaveFile], _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        let locks = try StoreError.onFiles(
            try HeldFile.locking(files.map(\.folder), isShared: true))
        guard locks != nil else { return nil }
        defer { withExtendedLifetime(locks) {} }
        return files.contains(where: \.exists) ? nil : try body()
    }

    private func pendingError(of pending: PendingSaveFile) throws(StoreError) -> StoreError {
        let detail = "this process has opened its stores as read-only"
        guard let files = try SaveFiles(beside: pending) else {
            return .savePending(
                InterruptedSave(id: nil, stores: [pending.location], detail: detail))
        }
        return .savePending(files.interruption(detail))
    }

    /// Removes the file of a process that died before its save had any other file.
    private func removeLeftover(of pending: PendingSaveFile) throws(StoreError) {
        guard pending.file.hasLeftover else { return }
        do {
            let locks = try HeldFile.locking([pending.folder], isShared: false)
            guard locks != nil, !pending.exists else { return }
            try pending.file.remove()
        } catch {
            // The file does no harm, because the next save overwrites it.
        }
    }

    /// Finishes the save. Its folders are locked.
    private func finish(_ files: SaveFiles, requiresShare: Bool) throws(StoreError) {
        guard files.nameTheStore else {
            guard overridesDoubt else {
                throw files.doubt(
                    "\(files.pending.location) is not one of them, because it was copied or renamed"
                        + " since. If it was renamed, give it its former name")
            }
            try files.dropThoseOfTheStore()
            return whenFinished(files.pending.location, [])
        }
        var opened = OpenedParticipants(files, recovery: self)
        defer { opened.close() }
        var without: [StoreLocation] = []
        switch files.state {
        case .journal(let journal): without = try opened.replay(journal)
        case .missingJournal(let path, let pointer):
            without = try opened.decideWithoutJournal(
                pointer.id, loss: "its journal “\(path)” is missing", isDamaged: false)
        case .damagedJournal(let path, let detail, let pointer):
            without = try opened.decideWithoutJournal(
                pointer.id, loss: "its journal “\(path)” is damaged: \(detail)", isDamaged: true)
        case .noPointer(let detail):
            guard overridesDoubt else {
                throw files.doubt(
                    "“\(files.pending.file.path)”, which describes the save, is damaged: \(detail)"
                )
            }
            try files.drop()
        }
        whenFinished(files.pending.location, without)
        // The file can only be left if `overridesDoubt` is set.
        guard requiresShare, files.pending.exists else { return }
        throw files.doubt("\(files.pending.location) still does not contain it")
    }
}
