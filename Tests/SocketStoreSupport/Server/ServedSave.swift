import CairnStore

/// A save of a client, with its changes.
struct ServedSave {
    let transaction: any SaveTransaction
    /// The state on which the save is based. The save holds the lock, so no other save comes between.
    let before: StoreGeneration
    private var request = SaveRequest()

    init(_ transaction: any SaveTransaction, on before: StoreGeneration) {
        self.transaction = transaction
        self.before = before
    }

    /// Records the request and prepares it.
    ///
    /// - Throws: The engine's error.
    mutating func prepare(_ request: SaveRequest) throws(StoreError) {
        try transaction.prepare(request)
        self.request = request
    }

    /// Returns the objects that differ after the save.
    func changes(_ outcome: SaveOutcome) -> StoreChanges {
        StoreChanges(request, recomputed: outcome.recomputed)
    }
}
