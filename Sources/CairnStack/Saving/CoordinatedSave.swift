import CairnModel
import CairnRows
import CairnSaveJournal
import CairnStore
import CairnThreads
import Synchronization

/// A save of one change set to the stores. Either all of it is saved, or nothing.
///
/// Stores are locked in the order of their identifiers, so that two saves never wait for each other,
/// even in different processes.
struct CoordinatedSave {
    private(set) var changes: ChangeSet
    let objects: any ChangedObjects
    let journalModel: JournalModel
    let references: ReferenceRules
    let stores: StoreList
    let commitGate: CommitGate
    /// The parts of the current attempt, one for each store that takes changes, in the order of the stores'
    /// identifiers.
    private(set) var saves: [StoreSave] = []
    /// The requests of a batch that is written in parts. Its changes are not in ``changes``.
    var parts: BatchParts?
    /// The permanent ID of each object that has a temporary ID or moves to another store, as far as the attempt
    /// has taken keys.
    private(set) var permanentIDs = IDReplacements()

    /// Saves the changes. If a store failed in a way that may be temporary and nothing was saved, the
    /// save is repeated after a pause. If a store refused the name of the save, because the clock is
    /// slow, the save is repeated with a greater name.
    mutating func run() throws(GraphError) -> SaveResult {
        var backoff = Backoff()
        var name: SaveID?
        var mayTakeOtherKeys = true
        while true {
            do {
                if let result = try attempt(named: name) {
                    // No longer leads a queue, and may take its time.
                    for save in saves { save.attached.noteSaveForHistoryLimits() }
                    return result
                }
            } catch {
                if mayTakeOtherKeys, hasUsedKeys(error) {
                    mayTakeOtherKeys = false
                    for save in saves { save.attached.spareKeys.giveUp() }
                    continue
                }
                if case .store(.saveNameTooSmall(_, let greatest)) = error, changes.id == nil,
                    let greater = SaveID(after: greatest)
                {
                    name = greater
                    continue
                }
                guard error.isTransientFailure else { throw error }
                switch backoff.pause() {
                case .passed: try changes.watch?.checkCancelled()
                case .cancelled: throw .saveCancelled
                case .exhausted: throw error
                }
            }
        }
    }

    /// Returns whether the store refused a new object because another one has its key. A program that does not
    /// know Cairn's records, or a file that was replaced, may have used keys that this process still had.
    private func hasUsedKeys(_ error: GraphError) -> Bool {
        guard case .store(.rowConflicts(let conflicts)) = error else { return false }
        let new = Set(permanentIDs.lazy.map(\.new))
        return conflicts.contains { new.contains($0.id) }
    }

    /// Tries to save once, together with other saves of the same store if some wait for it. Returns
    /// `nil` if an older save had to be finished first; nothing was saved in that case.
    ///
    /// - Parameter name: The name of the save, if the caller gave none. `nil` means a new name.
    private mutating func attempt(named name: SaveID?) throws(GraphError) -> SaveResult? {
        if let parts {
            saves = [StoreSave(parts.store)]
            if let result = try attempt(named: name, writing: parts) { return result }
            if self.parts == nil { changes = parts.batch.changes }
            return nil
        }
        saves = try StoreSave.split(changes, among: stores)
        permanentIDs = IDReplacements(minimumCapacity: changes.inserted.count)
        try packIfKeysAreFree()
        // A save over several stores shares no commit. It waits for the stores' locks like the leader of
        // a group, in the order of their identifiers.
        guard saves.count == 1, let queue = saves[0].attached.waitingSaves else {
            return try attempt(named: name, leading: nil)
        }
        switch try turn(in: queue, named: name) {
        case .leads:
            defer { queue.leave() }
            return try attempt(named: name, leading: queue)
        case .answered(let answer): return try result(of: answer, named: name)
        case .ended(let outcome):
            do {
                let save = saves[0]
                try outcome.requireTaken(save.location, waited: try save.attached.timeout())
            } catch {
                throw GraphError(ofSave: error)
            }
            return nil
        }
    }

    /// Begins the saves, writes them and commits them.
    ///
    /// - Parameter queue: The queue of waiting saves that this one leads. They take part in its commit.
    mutating func attempt(
        named name: SaveID?, leading queue: GroupSave.Queue?
    ) throws(GraphError) -> SaveResult? {
        // Has no effect after the commits.
        defer { for save in saves { save.rollback() } }
        try begin(sparing: queue.map { $0.waiterCount > 0 } ?? false)
        do {
            if try finishOlderSaves() { return nil }
            try nameRequests(name)
        } catch {
            throw GraphError(ofSave: error)
        }
        if let answer = saveGroup(of: queue) { return try result(of: answer, named: name) }
        do {
            try prepare()
        } catch {
            throw GraphError(ofSave: error)
        }
        try changes.watch?.checkCancelled()
        do {
            return try commit()
        } catch .store(let error) {
            // A store that saves in parallel detects conflicts only when it commits.
            throw .store(withPresentIDs(error))
        }
    }

    /// Finishes interrupted saves to several stores. The stores are locked while such saves are searched
    /// for, so that no new ones can begin. They are finished without the locks.
    ///
    /// - Returns: Whether there were interrupted saves. If so, the locks have been released.
    func finishOlderSaves() throws(StoreError) -> Bool {
        guard let save = saves.first(where: { !$0.attached.unfinishedSaves.isEmpty }) else {
            return false
        }
        for save in saves { save.rollback() }
        try save.attached.unfinishedSaves.finish()
        return true
    }

    /// Makes the durable stores record a name of the save, if there are several durable stores, if one
    /// of them needs a name for every save, or if the caller gave a name. A durable store that is the
    /// only one in a save can usually determine the outcome without a recorded name.
    ///
    /// - Throws: The errors of reading the metadata of several stores.
    func nameRequests(_ name: SaveID?) throws(StoreError) {
        let durable = durable
        guard
            durable.count > 1 || changes.id != nil
                || durable.contains(where: { $0.attached.capabilities.namedSaves == .wanted })
        else { return }
        let id = changes.id ?? name ?? SaveID()
        for save in durable where save.attached.capabilities.namedSaves != .forgotten {
            save.request.id = id
        }
        if durable.count > 1 { try CommonSaves.record(id, in: durable) }
    }

    /// Packs the rows if every store can reserve the keys of new objects outside a save, or has no new
    /// objects. Other saves then do not wait for the packing.
    private mutating func packIfKeysAreFree() throws(GraphError) {
        do {
            // Do not begin a save whose deadline has passed.
            try StoreDeadline.check()
            for save in saves { try save.takeKeysOutsideSave(&permanentIDs) }
        } catch {
            throw GraphError(ofSave: error)
        }
        if saves.allSatisfy(\.hasKeys) { try packRows() }
    }

    /// Begins all saves, and packs their rows unless they are packed.
    ///
    /// - Parameter sparing: Whether to take spare keys for the saves that wait.
    private mutating func begin(sparing: Bool) throws(GraphError) {
        let isPacked = saves.allSatisfy(\.hasKeys)
        do {
            for save in saves { try save.beginTakingKeys(&permanentIDs, sparing: sparing) }
        } catch {
            throw GraphError(ofSave: error)
        }
        if !isPacked { try packRows() }
    }

    /// Passes the requests to the stores, which check them, and checks that the save breaks no references.
    ///
    /// - Throws: All row conflicts of all stores. Without row conflicts, all reference conflicts. Without
    ///   either, all uniqueness conflicts. The objects have their current IDs. Other errors are thrown
    ///   immediately.
    private func prepare() throws(StoreError) {
        var rowConflicts: [RowConflict] = []
        var referenceConflicts: [ReferenceConflict] = []
        var uniquenessConflicts: [UniquenessConflict] = []
        var written = 0
        for save in saves {
            save.request.reporter = changes.watch?.reporter(after: written)
            written += save.request.objectCount
            do {
                try save.prepare()
            } catch .rowConflicts(let conflicts) {
                rowConflicts += conflicts
            } catch .referenceConflicts(let conflicts) {
                referenceConflicts += conflicts
            } catch .uniquenessConflicts(let conflicts) {
                uniquenessConflicts += conflicts
            } catch {
                throw error
            }
        }
        if !rowConflicts.isEmpty { throw .rowConflicts(rowConflicts) }
        for save in saves where save.attached.capabilities.letsReferencesBeChecked {
            var broken = BrokenReferences(
                references, in: StoredRows(save.request, in: save, prepared: save.prepared))
            referenceConflicts += try broken.conflicts()
        }
        if !referenceConflicts.isEmpty {
            throw withPresentIDs(.referenceConflicts(referenceConflicts))
        }
        if !uniquenessConflicts.isEmpty {
            throw withPresentIDs(.uniquenessConflicts(uniquenessConflicts))
        }
    }

    /// Returns the error with the IDs that new objects have as long as the save has not succeeded.
    func withPresentIDs(_ error: StoreError) -> StoreError {
        let present = Dictionary(
            permanentIDs.map { ($0.new, $0.old) }, uniquingKeysWith: { first, _ in first })
        switch error {
        case .referenceConflicts(var conflicts):
            for index in conflicts.indices {
                let object = conflicts[index].object
                conflicts[index].object = present[object] ?? object
                conflicts[index].members = conflicts[index].members.map { present[$0] ?? $0 }
            }
            return .referenceConflicts(conflicts)
        case .uniquenessConflicts(var conflicts):
            for index in conflicts.indices {
                conflicts[index].requested = conflicts[index].requested.map { present[$0] ?? $0 }
            }
            return .uniquenessConflicts(conflicts)
        default: return error
        }
    }
}

// MARK: - Committing

extension CoordinatedSave {
    private var durable: [StoreSave] { saves.filter(\.attached.capabilities.isDurable) }

    /// Makes every store commit its part. If several of the stores are durable, a journal ensures that all of
    /// them do.
    ///
    /// - Throws: `.store` if nothing was saved; `.saveOutcomeUnknown` if a store without a journal may
    ///   or may not have committed.
    private func commit() throws(GraphError) -> SaveResult {
        var result = SaveResult(permanentIDs: permanentIDs, rows: RowBatch())
        if saves.count == 1 {
            result.rows = try commit(saves[0], after: [])
        } else if durable.count > 1 {
            try commitWithJournal(&result)
        } else {
            try commitGate.withoutCommits { () throws(GraphError) in
                var saved: [StoreLocation] = []
                for save in durable {
                    result.rows.append(try commit(save, after: saved))
                    saved.append(save.location)
                }
                try commitInMemory(after: &saved, &result)
            }
        }
        return result
    }

    func commit(
        _ save: StoreSave, after saved: [StoreLocation]
    ) throws(GraphError) -> RowBatch {
        do {
            return try save.commit()
        } catch .commitOutcomeUnknown(let failure) {
            throw .saveOutcomeUnknown(save.location, saved: saved, reason: failure)
        } catch {
            throw .store(error)
        }
    }

    /// Commits the in-memory stores. They come last, because they cannot fail for lack of disk space. If
    /// one of them fails after others have committed, it writes its part before it is used again.
    private func commitInMemory(
        after saved: inout [StoreLocation], _ result: inout SaveResult
    ) throws(GraphError) {
        for save in saves where !save.attached.capabilities.isDurable {
            do {
                result.rows.append(try commit(save, after: saved))
            } catch .store(let error) where !saved.isEmpty {
                save.rollback()
                save.attached.unfinishedSaves.add(save.request)
                result.rows.append(save.requestedRows)
                result.pending =
                    result.pending ?? interruption("\(save.location) failed: \(error.description)")
            } catch {
                throw error
            }
            saved.append(save.location)
        }
    }

    // MARK: With a journal

    private func commitWithJournal(_ result: inout SaveResult) throws(GraphError) {
        let files = durable.filter { $0.attached.unfinishedSaves.file != nil }
        let services = durable.filter { $0.attached.unfinishedSaves.file == nil }
        let journal: SaveJournal
        do {
            journal = try TurnExecutor.whileWaiting { () throws(StoreError) in
                let journal = try makeJournal(of: files, services)
                try journal.write()
                return journal
            }
        } catch {
            throw GraphError(ofSave: error)
        }
        // From here on, the save has succeeded, or will when the service has committed.
        try commitGate.withoutCommits { () throws(GraphError) in
            for save in services {
                do throws(GraphError) {
                    result.rows.append(try commit(save, after: []))
                } catch .store(let error) {
                    journal.takeBack()
                    throw .store(error)
                }
            }
            for save in files { commitOrLeave(save, &result) }
            var saved = durable.map(\.location)
            try commitInMemory(after: &saved, &result)
        }
        if result.pending == nil { dropJournal(journal) }
    }

    private func makeJournal(
        of files: [StoreSave], _ services: [StoreSave]
    ) throws(StoreError) -> SaveJournal {
        for save in services where services.count > 1 || files.isEmpty {
            throw .unsupported(
                save.location,
                feature: "a service, of which a save over several stores can have only one",
                advice: "Save the objects of each store separately, or keep them in one store.")
        }
        try services.first?.attached.requireNames()
        let parts = try files.map { save throws(StoreError) -> SaveJournal.Part in
            (
                store: save.attached.store, file: try save.attached.journaledFile(),
                identifier: save.attached.identifier, request: save.request
            )
        }
        guard let id = parts[0].request.id else {
            throw .unsupported(
                durable[0].location, feature: "no names for its saves",
                advice: "Save to this store separately from the other stores.")
        }
        var timeout = Duration.zero
        for save in durable { timeout = max(timeout, try save.attached.timeout()) }
        return try SaveJournal(
            id, model: journalModel, parts: parts,
            decider: services.first.map { ($0.attached.store, $0.attached.identifier) },
            timeout: timeout)
    }

    /// Commits one part. If that fails, the journal allows the store to write the part later.
    private func commitOrLeave(_ save: StoreSave, _ result: inout SaveResult) {
        do {
            result.rows.append(try save.commit())
        } catch {
            save.rollback()
            result.rows.append(save.requestedRows)
            result.pending =
                result.pending ?? interruption("\(save.location) failed: \(error.description)")
        }
    }

    /// Removes the journal, after making durable what a power failure could undo.
    private func dropJournal(_ journal: SaveJournal) {
        do {
            for save in durable where !save.attached.store.commitsDurably {
                try save.attached.store.synchronize()
            }
            try journal.drop()
        } catch {
            // All stores contain the save. The next process that finds the journal's files makes the
            // stores durable and removes the files.
        }
    }

    private func interruption(_ detail: String) -> InterruptedSave {
        InterruptedSave(
            id: saves.lazy.compactMap(\.request.id).first, stores: saves.map(\.location),
            detail: detail)
    }
}

extension AttachedStore {
    /// Returns the file next to which a journal notes that the store has to write its part of a save to
    /// several stores.
    ///
    /// - Throws: `.unsupported` if the store cannot be part of a journal.
    fileprivate func journaledFile() throws(StoreError) -> PendingSaveFile {
        try requireNames()
        guard let file = unfinishedSaves.file else {
            throw .unsupported(
                location,
                feature: "no file next to which a save to several stores could be recorded",
                advice: "Save the objects of each store separately, or keep them in one store.")
        }
        return file
    }

    /// - Throws: `.unsupported` if the store does not record the names of saves.
    fileprivate func requireNames() throws(StoreError) {
        guard capabilities.namedSaves == .forgotten else { return }
        throw .unsupported(
            location, feature: "no record of the names of its saves",
            advice: "Save the objects of each store separately, or keep them in one store.")
    }

    /// Returns how long to wait for other saves.
    func timeout() throws(StoreError) -> Duration {
        try store.request.options.timeout()
    }
}

extension GraphError {
    /// Whether nothing was saved and the same save may succeed a little later. This excludes busy
    /// stores, because the save has already waited for them.
    fileprivate var isTransientFailure: Bool {
        guard case .store(let error) = self else { return false }
        return error.isTransientFailure
    }
}

extension StoreCapabilities {
    /// Whether the state that a save changes can be read during the save. Otherwise, the engine itself
    /// detects reference conflicts.
    var letsReferencesBeChecked: Bool { readsDuringSave && !savesInParallel }
}

extension SaveRequest {
    /// The number of objects that the request changes.
    var objectCount: Int { inserted.count + updated.count + deleted.count }

    /// The number of objects and pairs that the request changes.
    var changeCount: Int { objectCount + pairs.count }
}
