import CairnFiles
import CairnStore

/// Has each store of a journal take its part of the save, unless it has it.
struct JournalReplay {
    let recovery: SaveRecovery
    let files: SaveFiles
    let journal: SaveFile

    /// Finishes the save, and removes its files.
    ///
    /// All stores that lack the save are locked before the first is written.
    ///
    /// - Throws: as ``SaveRecovery/settle(_:)``.
    func run() throws(StoreError) {
        guard let layouts = journal.body.layouts else {
            throw files.doubt("the model in its journal cannot be used")
        }
        var opened = OpenedParticipants(recovery: recovery, files: files, layouts: layouts)
        defer { opened.close() }
        var lacking: [(store: any PersistentStore, request: SaveRequest)] = []
        for (index, (participant, file)) in files.participants.enumerated() {
            guard let store = try opened.open(at: index) else { continue }
            switch try opened.outcome(of: journal.id, in: store) {
            case .saved:
                // Its saver may have left that to chance.
                try attempting(store) { () throws(StoreError) in try store.synchronize() }
                continue
            case .forgotten where !file.exists:
                // Its file is removed after it has the save; it has had many others since.
                continue
            case .forgotten:
                throw files.doubt("\(store.request.location) does not know whether it has it")
            case .notSaved: break
            }
            let decoder = RequestDecoder(layouts: layouts, store: store.number)
            guard var request = decoder.decode(journal.body.requests[index]) else {
                throw files.doubt("the part of \(participant.path) in its journal cannot be read")
            }
            request.id = journal.id
            lacking.append((store, request))
        }
        try save(lacking)
        // What was left out finds the journal by its pointer later.
        try files.drop(but: opened.givenUp)
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
}
