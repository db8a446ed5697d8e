import CairnRows
import CairnSaveJournal
import CairnStore
import CairnThreads

/// The last step of a save: every store commits its part. If several of the stores are durable, a
/// journal ensures that all of them do.
struct SaveCommit {
    /// The parts of the save, begun and prepared, in the order of the stores' identifiers.
    let saves: [StoreSave]
    let journalModel: JournalModel
    let gate: CommitGate

    /// The result of the commits.
    struct Result {
        /// The inserted and updated rows as the stores now contain them.
        var rows = RowBatch()
        /// The interrupted save, if a store could not be written yet.
        var pending: InterruptedSave?
    }

    private var durable: [StoreSave] { saves.filter(\.attached.capabilities.isDurable) }

    /// Commits all parts.
    ///
    /// - Throws: `.store` if nothing was saved; `.saveOutcomeUnknown` if a store without a journal may
    ///   or may not have committed.
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

    /// Commits the in-memory stores. They come last, because they cannot fail for lack of disk space. If
    /// one of them fails after others have committed, it writes its part before it is used again.
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
        // From here on, the save has succeeded.
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
                durable[0].location, feature: "no names for its saves",
                advice: "Save to this store separately from the other stores.")
        }
        var timeout = Duration.zero
        for save in durable { timeout = max(timeout, try save.attached.timeout()) }
        return try SaveJournal(id, model: journalModel, parts: parts, timeout: timeout)
    }

    /// Commits one part. If that fails, the journal allows the store to write the part later.
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

    /// Removes the journal, after making durable what a power failure could undo.
    private func dropJournal(_ journal: SaveJournal) {
        do throws(StoreError) {
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
        let isRemembering = capabilities.namedSaves != .forgotten
        if let file = unfinishedSaves.file, isRemembering { return file }
        throw .unsupported(
            location,
            feature: isRemembering
                ? "no file next to which a save to several stores could be recorded"
                : "no record of the names of its saves",
            advice: "Save the objects of each store separately, or keep them in one store.")
    }

    /// Returns how long to wait for other saves.
    fileprivate func timeout() throws(StoreError) -> Duration {
        try store.request.options.timeout()
    }
}
