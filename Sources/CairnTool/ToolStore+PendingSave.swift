import Cairn
import CairnSaveJournal

extension ToolStore {
    /// What the files of a save say that the store takes part in. `nil` if no save is pending.
    ///
    /// Changes nothing.
    ///
    /// - Throws: `StoreError`.
    func pendingSave() throws(StoreError) -> PendingSaveReport? {
        guard let file = PendingSaveFile(of: location) else { return nil }
        return try PendingSaveReport(of: file)
    }

    /// Checks that the store has all that was saved to it, before it is read.
    ///
    /// Waits for a process that saves to it at the moment. Costs one call of the system if none does.
    ///
    /// - Throws: ``ToolFailure`` if a save is pending; `StoreError`.
    func requireNoPendingSave() throws {
        guard let file = PendingSaveFile(of: location), file.exists else { return }
        try [self].whileNoSaveIsPending {}
    }
}

extension [ToolStore] {
    /// Runs a body while no save over several stores is between its first and its last commit in one of
    /// the stores.
    ///
    /// - Throws: what the body throws; ``ToolFailure`` if a save is pending; `StoreError`.
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
    /// Finishes saves to stores of the built-in engines.
    static func forTool(overridesDoubt: Bool = false) -> SaveRecovery {
        let timeout = (try? StoreOptions().timeout()) ?? .zero
        return SaveRecovery(overridesDoubt: overridesDoubt, timeout: timeout) {
            type, location throws(StoreError) in
            try StoreRegistry.builtIn.fileEngine(ofType: type, for: location)
        }
    }
}

extension ToolFailure {
    /// Says that stores were not read because a save is pending, and how to finish it.
    init(pendingSave save: InterruptedSave) {
        let stores = save.stores.map(\.description)
        self.init(
            "A save over several stores\(save.id.map { ", \($0)," } ?? "") is not finished:"
                + " \(stores.joined(separator: ", ")). Some of them may have it and others not,"
                + " so nothing was read or changed. See what is pending and finish it: "
                + Self.recoverCommand(stores))
    }

    /// The same, for an error that says that a save is pending or in doubt. Returns `nil` for any other
    /// error.
    init?(pendingSaveIn error: any Error) {
        switch error {
        case StoreError.savePending(let save), GraphError.store(.savePending(let save)),
            StoreError.saveInDoubt(let save), GraphError.store(.saveInDoubt(let save)):
            self.init(pendingSave: save)
        default: return nil
        }
    }

    /// The command that finishes the save that a store takes part in.
    static func recoverCommand(_ stores: [String]) -> String {
        "cairn store recover " + (stores.first ?? "STORE").quotedForShell
    }
}

extension String {
    /// The text as one word for a shell.
    var quotedForShell: String {
        let isPlain = allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
        if !isEmpty, isPlain { return self }
        return "'" + replacing("'", with: #"'\''"#) + "'"
    }
}
