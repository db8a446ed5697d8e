import CairnSaveJournal
import CairnStore
import CairnThreads

/// The last step of a save: every store commits what it prepared, and if several of them outlive the
/// process, a journal sees to it that all of them do.
struct SaveCommit {
    /// Begun and prepared, in the order of their stores' identifiers.
    let saves: [StoreSave]
    let journalModel: JournalModel
    let gate: CommitGate

    /// What the commits did.
    struct Result {
        /// The inserted and updated rows as the stores have them now.
        var rows = RowBatch()
        /// Set if a store could not be written yet.
        var pending: InterruptedSave?
    }

    private var durable: [StoreSave] { saves.filter(\.attached.capabilities.isDurable) }

    /// Commits all parts.
    ///
    /// - Throws: `.store`: nothing was saved. `.saveOutcomeUnknown` if a store that is not in a journal
    ///   may or may not have committed.
    func run() throws(GraphError) -> Result {
        if saves.count == 1 { return Result(rows: try commit(saves[0], after: [])) }
        guard durable.count > 1 else {
            return try gate.withoutCommits { () throws(GraphError) in
                var result = Result()
                var saved: [StoreLocation] = []
                try commit(durable, after: &saved, &result)
                try commitInMemory(after: &saved, &result)
                return result
            }
        }
        return try runWithJournal()
    }

    private func commit(
        _ save: StoreSave, after saved: [StoreLocation]
    ) throws(GraphError) -> RowBatch {
        do throws(StoreError) {
            return try save.commit()
        } catch .commitOutcomeUnknown(let failure) {
            throw .saveOutcomeUnknown(save.location, saved: saved, reason: failure)
        } catch {
            throw .store(error)
        }
    }

    private func commit(
        _ saves: [StoreSave], after saved: inout [StoreLocation], _ result: inout Result
    ) throws(GraphError) {
        for save in saves {
            result.rows.append(try commit(save, after: saved))
            saved.append(save.location)
        }
    }

    /// Commits the stores that end with the process. They are committed last, because they cannot
    /// fail for lack of disk space. A store that fails after others have committed writes its part
    /// before it is used again.
    private func commitInMemory(
        after saved: inout [StoreLocation], _ result: inout Result
    ) throws(GraphError) {
        for save in saves where !save.attached.capabilities.isDurable {
            do throws(GraphError) {
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

    private func runWithJournal() throws(GraphError) -> Result {
        let journal: SaveJournal
        do throws(StoreError) {
            journal = try TurnExecutor.whileWaiting { () throws(StoreError) in
                let journal = try makeJournal()
                try journal.write()
                return journal
            }
        } catch {
            throw GraphError(ofSave: error)
        }
        // From here on the save has taken place.
        var result = Result()
        try gate.withoutCommits { () throws(GraphError) in
            for save in durable { commitOrLeave(save, &result) }
            var saved = durable.map(\.location)
            try commitInMemory(after: &saved, &result)
        }
        if result.pending == nil { dropJournal(journal) }
        return result
    }

    private func makeJournal() throws(StoreError) -> SaveJournal {
        let parts = try durable.map { save throws(StoreError) in
            SavePart(
                store: save.attached.store, file: try save.attached.journaledFile(),
                identifier: save.attached.identifier, request: save.request)
        }
        guard let id = parts[0].request.id else {
            throw .unsupported(
                durable[0].location, feature: "no name of its saves",
                advice: "Save to it apart from the other stores.")
        }
        var timeout = Duration.zero
        for save in durable { timeout = max(timeout, try save.attached.timeout()) }
        return try SaveJournal(id, model: journalModel, parts: parts, timeout: timeout)
    }

    /// Commits one part. If that fails, the journal has what the store needs to take it later.
    private func commitOrLeave(_ save: StoreSave, _ result: inout Result) {
        do throws(StoreError) {
            result.rows.append(try save.commit())
        } catch {
            save.rollback()
            result.rows.append(save.requestedRows)
            result.pending =
                result.pending ?? interruption("\(save.location) failed: \(error.description)")
        }
    }

    /// Removes the journal, after what a power cut could undo has been made durable.
    private func dropJournal(_ journal: SaveJournal) {
        do throws(StoreError) {
            for save in durable where !save.attached.store.commitsDurably {
                try save.attached.store.synchronize()
            }
            try journal.drop()
        } catch {
            // All stores have the save. The next process that finds its files makes them durable and
            // removes the files.
        }
    }

    private func interruption(_ detail: String) -> InterruptedSave {
        InterruptedSave(
            id: saves.lazy.compactMap(\.request.id).first, stores: saves.map(\.location),
            detail: detail)
    }
}

extension AttachedStore {
    /// Returns the file by which a journal sees to it that the store takes its part of a save over
    /// several stores.
    ///
    /// - Throws: `.unsupported` if no journal can.
    fileprivate func journaledFile() throws(StoreError) -> PendingSaveFile {
        let isRemembering = capabilities.namedSaves != .forgotten
        if let file = unfinishedSaves.file, isRemembering, !(store is any ReferencingStore) {
            return file
        }
        throw .unsupported(
            location,
            feature: isRemembering
                ? "no file beside which a save over several stores could be noted"
                : "no record of the names of saves",
            advice: "Save the objects of each store apart, or keep them in one store.")
    }

    /// How long to wait for others who save.
    fileprivate func timeout() throws(StoreError) -> Duration {
        try store.request.options.timeout()
    }
}
