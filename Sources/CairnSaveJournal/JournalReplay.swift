import CairnFiles
import CairnStore

/// Has each store of a journal take its part of the save, unless it has it.
struct JournalReplay {
    let recovery: SaveRecovery
    let files: SaveFiles
    let journal: SaveFile
    let body: SaveFileBody

    /// Finishes the save, and removes its files.
    ///
    /// All stores that lack the save are locked before the first is written.
    ///
    /// - Throws: as ``SaveRecovery/settle(_:)``.
    func run() throws(StoreError) {
        guard let layouts = body.layouts else {
            throw files.doubt("the model in its journal cannot be used")
        }
        var opened = OpenedParticipants(recovery: recovery, files: files, layouts: layouts)
        defer { opened.close() }
        var lacking: [(store: any PersistentStore, request: SaveRequest)] = []
        for (index, (participant, place)) in files.participants.enumerated() {
            guard let store = try opened.open(at: index) else { continue }
            switch try opened.outcome(of: journal.id, in: store) {
            case .saved:
                // Its saver may have left that to chance.
                try attempting(store) { () throws(StoreError) in try store.synchronize() }
                continue
            case .forgotten where !place.exists:
                // Its file is removed after it has the save; it has had many others since.
                continue
            case .forgotten:
                throw files.doubt("\(store.request.location) does not know whether it has it")
            case .notSaved: break
            }
            let decoder = RequestDecoder(layouts: layouts, store: store.number)
            guard var request = decoder.decode(body.requests[index]) else {
                throw files.doubt("the part of \(participant.path) in its journal cannot be read")
            }
            request.id = journal.id
            lacking.append((store, request))
        }
        try save(lacking)
        try finish(without: opened.givenUp)
    }

    private func save(
        _ lacking: [(store: any PersistentStore, request: SaveRequest)]
    ) throws(StoreError) {
        var transactions: [any SaveTransaction] = []
        // After the commits there is nothing left to roll back.
        defer { for transaction in transactions { transaction.rollback() } }
        for (store, _) in lacking {
            transactions.append(
                try attempting(store) { () throws(StoreError) in
                    try store.beginSave()
                })
        }
        for ((store, request), transaction) in zip(lacking, transactions) {
            try attempting(store) { () throws(StoreError) in try transaction.prepare(request) }
        }
        for ((store, _), transaction) in zip(lacking, transactions) {
            try attempting(store) { () throws(StoreError) in _ = try transaction.commit() }
        }
    }

    /// Runs a step of the save. A store that was changed by others since cannot take its part any more;
    /// whatever else fails may succeed later.
    private func attempting<Result>(
        _ store: any PersistentStore, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            let location = store.request.location
            switch error {
            case .rowConflicts, .uniquenessConflicts:
                throw files.doubt(
                    "\(location) was changed since by a program that knows no journals")
            case .unsupported, .unsupportedValue, .keysExhausted:
                throw files.doubt("\(location) does not take its part: \(error.description)")
            case .cancelled, .deadlineExceeded: throw error
            default:
                throw .savePending(
                    files.interruption("\(location) cannot be written: \(error.description)"))
            }
        }
    }

    /// Removes the files but those of stores that were given up, which find the journal by them later.
    private func finish(without givenUp: Set<String>) throws(StoreError) {
        let isBesideGivenUp = journal.participants.first.map { givenUp.contains($0.identifier) }
        if !givenUp.isEmpty, isBesideGivenUp == false { try moveAside() }
        try files.drop(but: givenUp)
    }

    /// Frees the name that the store beside which the journal is needs for its next saves.
    private func moveAside() throws(StoreError) {
        let aside = SaveFiles.asidePath(journal.journalPath(now: files), journal.id)
        guard files.journalPath != aside else { return }
        do throws(FileFailure) {
            try StagedFile(files.journalPath).moveAside(to: aside)
        } catch {
            throw .savePending(files.interruption("its journal cannot be kept: \(error.message)"))
        }
    }
}

extension SaveFile {
    /// The name that the journal had beside its store, in the folder where it is now.
    fileprivate func journalPath(now files: SaveFiles) -> String {
        let suffix = "-\(id)"
        let path = files.journalPath
        return path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path
    }
}
