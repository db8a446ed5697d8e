import Cairn
import CairnSaveJournal
import CairnStore

extension ToolStore {
    /// Reads the files of an unfinished save in which the store takes part. Returns `nil` if no save is
    /// pending.
    ///
    /// Changes nothing.
    ///
    /// - Throws: `StoreError`.
    func pendingSave() throws(StoreError) -> PendingSaveReport? {
        guard let file = PendingSaveFile(of: location) else { return nil }
        return try PendingSaveReport(of: file)
    }

    /// Checks, before the store is read, that it contains everything that was saved to it.
    ///
    /// Waits if another process is saving to the store. If not, this costs one system call.
    ///
    /// - Throws: ``ToolFailure`` if a save is pending; `StoreError`.
    func requireNoPendingSave() throws {
        guard let file = PendingSaveFile(of: location), file.exists else { return }
        try [self].whileNoSaveIsPending {}
    }
}

extension [ToolStore] {
    /// Runs a body at a time when none of the stores is in the middle of a save over several stores, between
    /// the first and the last commit of the save.
    ///
    /// - Throws: The errors of the body; ``ToolFailure`` if a save is pending; `StoreError`.
    func whileNoSaveIsPending<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws -> Result {
        do throws(StoreError) {
            return try SaveRecovery.forTool().whileSettled(
                compactMap { PendingSaveFile(of: $0.location) }, mayFinish: false, body)
        } catch {
            guard case .savePending(let save) = error else { throw error }
            throw ToolFailure(pendingSave: save)
        }
    }
}

extension SaveRecovery {
    /// Returns an object that finishes saves to stores of the built-in engines.
    static func forTool(overridesDoubt: Bool = false) -> SaveRecovery {
        let timeout = (try? StoreOptions().timeout()) ?? .zero
        return SaveRecovery(overridesDoubt: overridesDoubt, timeout: timeout) {
            type, location throws(StoreError) in
            try StoreRegistry.builtIn.fileEngine(ofType: type, for: location)
        }
    }
}

extension ToolFailure {
    /// Creates a failure that says that stores were not read because a save is pending, and how to finish the
    /// save.
    init(pendingSave save: InterruptedSave) {
        let stores = save.stores.map(\.description)
        self.init(
            "A save over several stores\(save.id.map { ", \($0)," } ?? "") is not finished:"
                + " \(stores.joined(separator: ", ")). Some of them may contain the save and others not,"
                + " so nothing was read or changed. To see what is pending and to finish it, run: "
                + Self.recoverCommand(stores))
    }

    /// Creates the same failure for an error that says that a save is pending or in doubt. Returns `nil` for
    /// any other error.
    init?(pendingSaveIn error: any Error) {
        switch error {
        case StoreError.savePending(let save), GraphError.store(.savePending(let save)),
            StoreError.saveInDoubt(let save), GraphError.store(.saveInDoubt(let save)):
            self.init(pendingSave: save)
        default: return nil
        }
    }

    /// Returns the command that finishes the save in which the stores take part.
    static func recoverCommand(_ stores: [String]) -> String {
        "cairn store recover " + (stores.first ?? "STORE").quotedForShell
    }
}

extension String {
    /// The text, quoted if necessary, so that a shell reads it as one word.
    var quotedForShell: String {
        let isPlain = allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
        if !isEmpty, isPlain { return self }
        return "'" + replacing("'", with: #"'\''"#) + "'"
    }
}
