import CairnFiles
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The stores of an unfinished save, opened for writing with separate handles.
struct OpenedParticipants {
    let recovery: SaveRecovery
    let files: SaveFiles
    /// The row layouts of the saver's model. If `nil`, each store is opened with the model that it
    /// contains.
    let layouts: RowLayouts?

    private var stores: [any PersistentStore] = []
    /// The identifiers of the stores that could not be opened and are left out. They can get their
    /// part of the save later.
    private(set) var leftOut: Set<String> = []
    /// Why stores can never get their part of the save, by the index of the participant: their file
    /// is now another store, or has another version of the model.
    private(set) var refusals: [Int: String] = [:]

    init(_ files: SaveFiles, recovery: SaveRecovery) {
        self.recovery = recovery
        self.files = files
        layouts = files.layouts
    }

    /// Opens a participant. Returns `nil` if the doubt is overridden and the store is left out or
    /// can never get its part.
    ///
    /// - Throws: `.saveInDoubt` if the store is missing, cannot be written, or was replaced by
    ///   another store; `.savePending` if it may be possible to open it later.
    mutating func open(at index: Int) throws(StoreError) -> (any PersistentStore)? {
        let (participant, file) = files.participants[index]
        let location = file.location
        do throws(StoreError) {
            let store = try open(participant, location)
            stores.append(store)
            let identifier = try store.metadata().identifier
            guard identifier == participant.identifier else {
                let refusal =
                    "\(location) is now another store: its identifier is \(identifier), not"
                    + " \(participant.identifier)"
                refusals[index] = refusal
                throw files.doubt(refusal)
            }
            return store
        } catch {
            let reason: StoreError
            switch error {
            case .cancelled, .deadlineExceeded: throw error
            case .saveInDoubt: reason = error
            case .busy, .locked, .fileFailure, .engineFailure:
                throw .savePending(
                    files.interruption("\(location) cannot be opened: \(error.description)"))
            case .notFound, .folderMissing:
                reason = files.doubt("its store \(location) is missing")
            case .readOnly:
                reason = files.doubt("its store \(location) cannot be written")
            case .modelMismatch:
                refusals[index] =
                    "\(location) has another version of the model than the save, as a backup may have"
                reason = files.doubt(refusals[index] ?? "")
            default:
                reason = files.doubt(
                    "its store \(location) cannot be opened: \(error.description)")
            }
            guard recovery.overridesDoubt else { throw reason }
            if refusals[index] == nil { leftOut.insert(participant.identifier) }
            return nil
        }
    }

    private func open(
        _ participant: Participant, _ location: StoreLocation
    ) throws(StoreError) -> any PersistentStore {
        guard let url = location.fileURL, FileManager.default.fileExists(atPath: url.path) else {
            throw .notFound(location)
        }
        guard access(url.path, W_OK) == 0 else { throw .readOnly(location) }
        let engine = try recovery.engine(participant.type, location)
        var known = layouts
        if known == nil { known = try Self.layouts(of: engine, at: location) }
        guard let layouts = known else { throw .sourceModelMissing(location) }
        return try engine.open(
            OpenRequest(
                location: location, model: layouts.model, layouts: layouts,
                configuration: participant.configuration, createsMissing: false))
    }

    private static func layouts(
        of engine: any FileStore.Type, at location: StoreLocation
    ) throws(StoreError) -> RowLayouts? {
        guard let description = try engine.model(at: location) else { return nil }
        let hashes = try engine.metadata(at: location).entityVersionHashes
        guard let model = try? ManagedObjectModel(description, recordedHashes: hashes) else {
            return nil
        }
        return RowLayouts(model)
    }

    /// Returns whether a store has the save.
    ///
    /// - Throws: `.savePending` if the store cannot tell now.
    func outcome(
        of id: SaveID, in store: any PersistentStore
    ) throws(StoreError) -> CommitOutcome {
        do {
            return try store.outcome(of: id)
        } catch {
            switch error {
            case .cancelled, .deadlineExceeded: throw error
            default:
                throw .savePending(
                    files.interruption(
                        "\(store.request.location) does not answer: \(error.description)"))
            }
        }
    }

    /// Returns whether the decider has the save. `nil` if there is no decider.
    ///
    /// - Throws: `.savePending` if it cannot be asked now; `.saveInDoubt` if it does not know, unless the doubt is overridden.
    func decision(on id: SaveID) throws(StoreError) -> CommitOutcome? {
        guard let decider = files.decider else { return nil }
        guard let layouts else { throw files.doubt("the model in its journal is not valid") }
        guard let location = URL(string: decider.path).flatMap(ServiceLocation.init) else {
            throw files.doubt("“\(decider.path)” is no address of a store")
        }
        do throws(StoreError) {
            let outcome = try recovery.service(
                decider.type, decider.identifier,
                OpenRequest(
                    location: .service(location), model: layouts.model, layouts: layouts,
                    configuration: decider.configuration, createsMissing: false), id)
            guard outcome == .forgotten, !recovery.overridesDoubt else { return outcome }
            throw files.doubt("\(location) no longer knows whether it contains the save")
        } catch {
            switch error {
            case .cancelled, .deadlineExceeded, .saveInDoubt: throw error
            default:
                throw .savePending(
                    files.interruption(
                        "it took place if \(location) contains it, which cannot be asked:"
                            + " \(error.description) Add that store to the coordinator first, if its address needs a password"
                    ))
            }
        }
    }

    /// Reads the part of a participant from the journal.
    ///
    /// - Parameters:
    ///   - outcome: whether the store contains the save. A store that has forgotten the name would
    ///     refuse it, so the part then has no name.
    ///   - layouts: the row layouts of the journal's model.
    /// - Throws: `.saveInDoubt`.
    func request(
        at index: Int, of journal: SaveFile, _ layouts: RowLayouts,
        for store: any PersistentStore, answering outcome: CommitOutcome
    ) throws(StoreError) -> SaveRequest {
        let codec = RequestCodec(layouts: layouts, store: store.number)
        guard var request = codec.decode(journal.requests[index]) else {
            let path = files.participants[index].0.path
            throw files.doubt("the part of \(path) in its journal cannot be read")
        }
        request.id = outcome == .forgotten ? nil : journal.id
        return request
    }

    /// Runs a step of a store's part of the save. If a store was changed by others in the meantime,
    /// it cannot be given its part any more. All other failures are treated as temporary.
    ///
    /// - Throws: `.saveInDoubt`, `.savePending`, `.cancelled`, `.deadlineExceeded`.
    func attempting<Result>(
        _ store: any PersistentStore, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            let location = store.request.location
            switch error {
            case .rowConflicts, .referenceConflicts, .uniquenessConflicts:
                throw files.doubt(
                    "\(location) is not in the state that the save changes: it was restored from a"
                        + " backup, or changed by a program that does not support save journals")
            case .unsupported, .unsupportedValue, .keysExhausted, .saveNameTooSmall:
                throw files.doubt("\(location) refused its part of the save: \(error.description)")
            case .cancelled, .deadlineExceeded: throw error
            default:
                throw .savePending(
                    files.interruption("\(location) cannot be written: \(error.description)"))
            }
        }
    }

    /// Closes all stores.
    mutating func close() {
        // Committed changes are durable even if closing a store fails.
        for store in stores { try? store.close() }
        stores = []
    }
}

// MARK: - Finishing the save

extension OpenedParticipants {
    private typealias Part = (store: any PersistentStore, request: SaveRequest)

    /// Saves a journal's requests to those of its stores that do not have the save yet, and removes the files of
    /// the save.
    ///
    /// Before the first store is written, all stores without the save are locked.
    ///
    /// - Returns: the stores that do not contain the save, or may not contain it, because the doubt
    ///   was overridden.
    /// - Throws: the errors of ``SaveRecovery/settle(_:)``.
    mutating func replay(_ journal: SaveFile) throws(StoreError) -> [StoreLocation] {
        guard let layouts else { throw files.doubt("the model in its journal is not valid") }
        if try decision(on: journal.id) == .notSaved {
            try files.drop()
            return []
        }
        var (lacking, without): ([Part], [StoreLocation]) = ([], [])
        for (index, (_, file)) in files.participants.enumerated() {
            guard let store = try open(at: index) else {
                without.append(file.location)
                continue
            }
            let outcome = try self.outcome(of: journal.id, in: store)
            switch outcome {
            case .saved:
                // The save may have been committed without making it durable.
                try attempting(store) { () throws(StoreError) in try store.synchronize() }
                continue
            case .forgotten where !file.exists:
                // The store's file was removed after the store had the save. It has had many other
                // saves since.
                continue
            case .forgotten where !recovery.overridesDoubt:
                throw files.doubt(
                    "\(store.request.location) no longer knows whether it contains the save")
            case .forgotten, .notSaved: break
            }
            let request = try self.request(
                at: index, of: journal, layouts, for: store, answering: outcome)
            lacking.append((store, request))
        }
        without += try save(to: lacking)
        // Stores that were left out can find the journal later through their pointers.
        try files.drop(but: leftOut)
        return without
    }

    /// Returns the stores that refused their part and are unchanged, because the doubt is
    /// overridden. A store whose rows are not those that the save changes refuses it.
    private func save(to lacking: [Part]) throws(StoreError) -> [StoreLocation] {
        var transactions: [any SaveTransaction] = []
        // Rolling back has no effect on transactions that were committed.
        defer { for transaction in transactions { transaction.rollback() } }
        for (store, _) in lacking {
            transactions.append(
                try attempting(store) { () throws(StoreError) in try store.beginSave() })
        }
        var (prepared, refusing): ([Int], [StoreLocation]) = ([], [])
        for (index, (store, request)) in lacking.enumerated() {
            do {
                try attempting(store) { () throws(StoreError) in
                    try transactions[index].prepare(request)
                }
                prepared.append(index)
            } catch {
                guard case .saveInDoubt = error, recovery.overridesDoubt else { throw error }
                transactions[index].rollback()
                refusing.append(store.request.location)
            }
        }
        for index in prepared {
            try attempting(lacking[index].store) { () throws(StoreError) in
                _ = try transactions[index].commit()
            }
        }
        return refusing
    }

    // MARK: Without a journal

    /// Removes the files of a save that no store has, or that all stores have.
    ///
    /// - Parameters:
    ///   - id: the name of the save, from the pointer file.
    ///   - loss: what happened to the journal.
    ///   - isDamaged: whether the journal is damaged, so that the save may have taken place.
    /// - Returns: the stores that do not contain the save although others do, or may not contain it,
    ///   because the doubt was overridden.
    /// - Throws: `.saveInDoubt` if only some of the stores have the save, or if a store cannot be
    ///   asked.
    mutating func decideWithoutJournal(
        _ id: SaveID, loss: String, isDamaged: Bool
    ) throws(StoreError) -> [StoreLocation] {
        var (having, lacking): ([StoreLocation], [StoreLocation]) = ([], [])
        var unknown: [StoreLocation] = []
        for (index, (_, file)) in files.participants.enumerated() {
            guard let store = try open(at: index) else {
                unknown.append(file.location)
                continue
            }
            switch try outcome(of: id, in: store) {
            case .saved: having.append(store.request.location)
            case .notSaved: lacking.append(store.request.location)
            case .forgotten where files.hasFirstPointer && !file.exists:
                having.append(store.request.location)
            case .forgotten:
                guard recovery.overridesDoubt else {
                    throw files.doubt(
                        "\(store.request.location) no longer knows whether it contains the save")
                }
                unknown.append(store.request.location)
            }
        }
        if let decision = try decision(on: id), let path = files.decider?.path,
            let location = URL(string: path).flatMap(ServiceLocation.init)
        {
            if decision == .saved { having.append(.service(location)) }
            if decision == .notSaved { lacking.append(.service(location)) }
        }
        if !recovery.overridesDoubt {
            if !having.isEmpty, !lacking.isEmpty { throw mixed(having, lacking, loss) }
            if having.isEmpty, isDamaged { throw files.doubt(loss) }
        }
        try files.drop(but: leftOut)
        return unknown + (having.isEmpty ? [] : lacking)
    }

    private func mixed(
        _ having: [StoreLocation], _ lacking: [StoreLocation], _ loss: String
    ) -> StoreError {
        files.doubt(
            "\(loss), and"
                + " \(having.map(\.description).joined(separator: ", "))"
                + " \(having.count == 1 ? "contains" : "contain") the save, while"
                + " \(lacking.map(\.description).joined(separator: ", "))"
                + " \(lacking.count == 1 ? "does" : "do") not")
    }
}
