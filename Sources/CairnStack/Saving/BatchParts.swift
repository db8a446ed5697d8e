import CairnModel
import CairnRows
import CairnSaveJournal
import CairnStore

/// The parts of a batch that one store saves one after the other, by one commit.
struct BatchParts {
    let batch: BatchContent
    let store: AttachedStore
    let requests: RequestSpool

    /// Returns `nil` if the batch has no parts, or cannot be saved in parts: if it changes several stores, if the engine
    /// takes no parts, or if it deletes objects of one-to-one relationships, whose partners may be in other parts.
    init?(
        of batch: BatchContent, in stores: StoreList, _ references: ReferenceRules
    ) throws(GraphError) {
        guard let requests = try batch.parts(), requests.stores.count == 1,
            let store = stores.stores.first(where: { requests.stores.contains($0.number) }),
            store.capabilities.savesInParts,
            !batch.deletedEntities.contains(where: references.hasOneToOne)
        else { return nil }
        self.batch = batch
        self.store = store
        self.requests = requests
    }

    /// Returns the request at an index, as a part of the save.
    ///
    /// - Parameter template: The request of the save, which has no rows.
    func request(at index: Int, of template: SaveRequest) throws(StoreError) -> SaveRequest {
        var request = try requests.request(at: index)
        request.part = SavePart(
            isFirst: index == 0, remainingByteCount: requests.byteCount(from: index))
        request.author = batch.author
        request.contextName = batch.contextName
        if index == 0 { request.id = template.id }
        return request
    }

    /// Whether each conflict of unique values is one, whatever the later parts change, and need not be resolved together
    /// with those of other parts.
    var conflictsAreFinal: Bool {
        let counts = batch.counts
        return !batch.resolvesConflicts && counts.updated == 0 && counts.deleted == 0
    }
}
