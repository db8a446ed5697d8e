import CairnModel
import CairnStore
import CairnThreads
import Synchronization

/// One change set on its way into the stores: all of it or nothing, unless the second or a later
/// one of several stores fails to commit.
///
/// Stores are locked in the order of their identifiers, so that two savers, of two processes too,
/// never wait for each other.
struct CoordinatedSave {
    let changes: ChangeSet
    let layouts: RowLayouts
    let assignment: StoreAssignment
    let commitGate: CommitGate

    /// Saves, again after a pause if a store failed in a way that may pass and nothing was saved.
    func run() throws(GraphError) -> SaveResult {
        var backoff = Backoff()
        while true {
            do throws(GraphError) {
                return try attempt()
            } catch {
                guard error.mayPass else { throw error }
                switch backoff.pause() {
                case .passed: try changes.watch?.checkCancelled()
                case .cancelled: throw .saveCancelled
                case .exhausted: throw error
                }
            }
        }
    }

    private func attempt() throws(GraphError) -> SaveResult {
        let shares = try ChangeShare.split(changes, by: assignment)
        let saves = shares.map { StoreSave($0.attached) }
        // After the commits there is nothing left to roll back.
        defer { for save in saves { save.rollback() } }
        for save in saves { try save.begin() }
        let permanentIDs = try reserveKeys(of: shares, with: saves)
        let packing = RowPackingPass(changes: changes, layouts: layouts, permanentIDs: permanentIDs)
        for (share, save) in zip(shares, saves) { try packing.fill(save, from: share) }
        nameRequests(of: saves)
        try prepare(saves, permanentIDs)
        try changes.watch?.checkCancelled()
        let rows = try commitGate.commit(saves)
        return SaveResult(permanentIDs: permanentIDs, rows: rows)
    }

    /// Gives the durable stores a name to record: if there are several, if one of them wants a name
    /// for every save, or if the caller gave one. A store that is alone in its save knows most of
    /// the time what became of it, and is spared the record.
    private func nameRequests(of saves: [StoreSave]) {
        let durable = saves.filter(\.attached.capabilities.isDurable)
        guard
            durable.count > 1 || changes.id != nil
                || durable.contains(where: { $0.attached.capabilities.namedSaves == .wanted })
        else { return }
        let id = changes.id ?? SaveID()
        for save in durable where save.attached.capabilities.namedSaves != .forgotten {
            save.request.id = id
        }
    }

    /// Returns the permanent ID of each object that has a temporary one.
    private func reserveKeys(
        of shares: [ChangeShare], with saves: [StoreSave]
    ) throws(GraphError) -> IDReplacements {
        var permanentIDs = IDReplacements()
        for (share, save) in zip(shares, saves) {
            permanentIDs.merge(
                try KeyReservation.permanentIDs(
                    for: share.inserted.filter(\.isTemporary), with: save))
        }
        return permanentIDs
    }

    /// Has every store check its request.
    ///
    /// - Throws: all row conflicts of all stores; where there are none, all uniqueness conflicts,
    ///   with the IDs that the objects have now; any other refusal at once.
    private func prepare(
        _ saves: [StoreSave], _ permanentIDs: IDReplacements
    ) throws(GraphError) {
        var rowConflicts: [RowConflict] = []
        var uniquenessConflicts: [UniquenessConflict] = []
        var written = 0
        for save in saves {
            save.request.reporter = changes.watch?.reporter(after: written)
            written += save.request.objectCount
            switch save.prepare() {
            case nil: continue
            case .rowConflicts(let conflicts)?: rowConflicts += conflicts
            case .uniquenessConflicts(let conflicts)?: uniquenessConflicts += conflicts
            case .cancelled?: throw .saveCancelled
            case let refusal?: throw .store(refusal)
            }
        }
        if !rowConflicts.isEmpty { throw .store(.rowConflicts(rowConflicts)) }
        guard !uniquenessConflicts.isEmpty else { return }
        let present = Dictionary(
            permanentIDs.map { ($0.new, $0.old) }, uniquingKeysWith: { first, _ in first })
        throw .store(
            .uniquenessConflicts(
                uniquenessConflicts.map { conflict in
                    var conflict = conflict
                    conflict.requested = conflict.requested.map { present[$0] ?? $0 }
                    return conflict
                }))
    }
}

extension GraphError {
    /// Whether nothing was saved, and the same save may succeed a little later. A store that was busy
    /// was waited for already.
    fileprivate var mayPass: Bool {
        guard case .store(let error) = self else { return false }
        return error.mayPass
    }
}

extension SaveRequest {
    /// How many objects it changes.
    fileprivate var objectCount: Int { inserted.count + updated.count + deleted.count }
}
