import CairnStore

/// A save of a client, with what it changes.
struct ServedSave {
    let transaction: any SaveTransaction
    /// The state that the save is made on: it holds the lock, so that no other one comes between.
    let before: StoreGeneration
    private var request = SaveRequest()

    init(_ transaction: any SaveTransaction, on before: StoreGeneration) {
        self.transaction = transaction
        self.before = before
    }

    /// Keeps the request, and prepares it.
    ///
    /// - Throws: what the engine throws.
    mutating func prepare(_ request: SaveRequest) throws(StoreError) {
        try transaction.prepare(request)
        self.request = request
    }

    /// Which objects differ after the save.
    func changes(_ outcome: SaveOutcome) -> StoreChanges {
        StoreChanges(request, recomputed: outcome.recomputed)
    }
}
