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
    let changes: ChangeSet
    let objects: any ChangedObjects
    let journalModel: JournalModel
    let references: ReferenceRules
    let stores: StoreList
    let commitGate: CommitGate

    /// Saves the changes. If a store failed in a way that may be temporary and nothing was saved, the
    /// save is repeated after a pause. If a store refused the name of the save, because the clock is
    /// slow, the save is repeated with a greater name.
    func run() throws(GraphError) -> SaveResult {
        var backoff = Backoff()
        var name: SaveID?
        while true {
            do throws(GraphError) {
                if let result = try attempt(named: name) { return result }
            } catch {
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

    /// Tries to save once. Returns `nil` if an older save had to be finished first; nothing was saved in
    /// that case.
    ///
    /// - Parameter name: The name of the save, if the caller gave none. `nil` means a new name.
    private func attempt(named name: SaveID?) throws(GraphError) -> SaveResult? {
        let shares = try ChangeShare.split(changes, among: stores)
        let saves = shares.map { StoreSave($0.attached) }
        // Has no effect after the commits.
        defer { for save in saves { save.rollback() } }
        let permanentIDs = try beginAndPack(saves, shares)
        do throws(StoreError) {
            if try finishOlderSaves(before: saves) { return nil }
            nameRequests(of: saves, name)
            try prepare(saves, permanentIDs)
        } catch {
            throw GraphError(ofSave: error)
        }
        try changes.watch?.checkCancelled()
        let result: SaveCommit.Result
        do throws(GraphError) {
            result = try SaveCommit(
                saves: saves, journalModel: journalModel, gate: commitGate
            ).run()
        } catch .store(.uniquenessConflicts(let conflicts)) {
            // A store that saves in parallel detects these conflicts only when it commits.
            throw .store(uniquenessFailure(conflicts, permanentIDs))
        } catch .store(.referenceConflicts(let conflicts)) {
            throw .store(referenceFailure(conflicts, permanentIDs))
        }
        return SaveResult(
            permanentIDs: permanentIDs, rows: result.rows, pending: result.pending)
    }

    /// Finishes interrupted saves to several stores. The stores are locked while such saves are searched
    /// for, so that no new ones can begin. They are finished without the locks.
    ///
    /// - Returns: Whether there were interrupted saves. If so, the locks have been released.
    private func finishOlderSaves(before saves: [StoreSave]) throws(StoreError) -> Bool {
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
    private func nameRequests(of saves: [StoreSave], _ name: SaveID?) {
        let durable = saves.filter(\.attached.capabilities.isDurable)
        guard
            durable.count > 1 || changes.id != nil
                || durable.contains(where: { $0.attached.capabilities.namedSaves == .wanted })
        else { return }
        let id = changes.id ?? name ?? SaveID()
        for save in durable where save.attached.capabilities.namedSaves != .forgotten {
            save.request.id = id
        }
    }

    /// Begins all saves and packs their rows. If every store can reserve the keys of new objects outside
    /// a save, or has no new objects, the rows are packed first, so that other saves do not wait for the
    /// packing.
    ///
    /// - Returns: The permanent ID of each object with a temporary ID.
    private func beginAndPack(
        _ saves: [StoreSave], _ shares: [ChangeShare]
    ) throws(GraphError) -> IDReplacements {
        let reservations = shares.map {
            KeyReservation(for: $0.inserted.filter(\.isTemporary), in: $0.attached)
        }
        var permanentIDs = IDReplacements()
        let haveKeys = try takeKeysOutsideSave(reservations, &permanentIDs)
        let packsFirst = haveKeys.allSatisfy(\.self)
        if packsFirst { try pack(shares, into: saves, permanentIDs) }
        do throws(StoreError) {
            for (index, save) in saves.enumerated() {
                guard !haveKeys[index] else {
                    try save.begin()
                    continue
                }
                let keys = try save.begin(reserving: reservations[index].counts)
                permanentIDs.merge(try reservations[index].permanentIDs(from: keys))
            }
        } catch {
            throw GraphError(ofSave: error)
        }
        if !packsFirst { try pack(shares, into: saves, permanentIDs) }
        return permanentIDs
    }

    /// Takes the keys for those reservations whose stores can reserve keys outside a save.
    ///
    /// - Parameter permanentIDs: The permanent IDs with these keys are added to it.
    /// - Returns: Whether the keys were taken, for each reservation.
    private func takeKeysOutsideSave(
        _ reservations: [KeyReservation], _ permanentIDs: inout IDReplacements
    ) throws(GraphError) -> [Bool] {
        var areTaken: [Bool] = []
        do throws(StoreError) {
            // Do not begin a save whose deadline has passed.
            try StoreDeadline.check()
            for reservation in reservations {
                let keys = try reservation.takeOutsideSave()
                if let keys { permanentIDs.merge(try reservation.permanentIDs(from: keys)) }
                areTaken.append(keys != nil)
            }
        } catch {
            throw GraphError(ofSave: error)
        }
        return areTaken
    }

    private func pack(
        _ shares: [ChangeShare], into saves: [StoreSave], _ permanentIDs: IDReplacements
    ) throws(GraphError) {
        let packing = RowPackingPass(
            changes: changes, objects: objects, layouts: journalModel.layouts,
            permanentIDs: permanentIDs)
        for (share, save) in zip(shares, saves) { try packing.fill(save, from: share) }
    }

    /// Passes the requests to the stores, which check them, and checks that the save breaks no references.
    ///
    /// - Throws: All row conflicts of all stores. Without row conflicts, all reference conflicts. Without
    ///   either, all uniqueness conflicts. The objects have their current IDs. Other errors are thrown
    ///   immediately.
    private func prepare(
        _ saves: [StoreSave], _ permanentIDs: IDReplacements
    ) throws(StoreError) {
        var rowConflicts: [RowConflict] = []
        var referenceConflicts: [ReferenceConflict] = []
        var uniquenessConflicts: [UniquenessConflict] = []
        var written = 0
        for save in saves {
            save.request.reporter = changes.watch?.reporter(after: written)
            written += save.request.objectCount
            do throws(StoreError) {
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
            var broken = BrokenReferences(references, of: save)
            referenceConflicts += try broken.conflicts()
        }
        if !referenceConflicts.isEmpty {
            throw referenceFailure(referenceConflicts, permanentIDs)
        }
        if !uniquenessConflicts.isEmpty {
            throw uniquenessFailure(uniquenessConflicts, permanentIDs)
        }
    }

    /// Returns the IDs that new objects have as long as the save has not succeeded, by their permanent IDs.
    private func present(_ permanentIDs: IDReplacements) -> [ObjectID: ObjectID] {
        Dictionary(permanentIDs.map { ($0.new, $0.old) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns an error with the conflicts, in which the objects have their current IDs.
    private func referenceFailure(
        _ conflicts: [ReferenceConflict], _ permanentIDs: IDReplacements
    ) -> StoreError {
        let present = present(permanentIDs)
        return .referenceConflicts(
            conflicts.map { conflict in
                var conflict = conflict
                conflict.object = present[conflict.object] ?? conflict.object
                conflict.members = conflict.members.map { present[$0] ?? $0 }
                return conflict
            })
    }

    /// Returns an error with the conflicts, in which the objects have their current IDs.
    private func uniquenessFailure(
        _ conflicts: [UniquenessConflict], _ permanentIDs: IDReplacements
    ) -> StoreError {
        let present = present(permanentIDs)
        return .uniquenessConflicts(
            conflicts.map { conflict in
                var conflict = conflict
                conflict.requested = conflict.requested.map { present[$0] ?? $0 }
                return conflict
            })
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
    fileprivate var letsReferencesBeChecked: Bool { readsDuringSave && !savesInParallel }
}

extension SaveRequest {
    /// The number of objects that the request changes.
    fileprivate var objectCount: Int { inserted.count + updated.count + deleted.count }
}
