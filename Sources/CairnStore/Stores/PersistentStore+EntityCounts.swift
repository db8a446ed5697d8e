import CairnModel

extension PersistentStore {
    /// Counts the rows of each entity of the store's model, subentities apart.
    ///
    /// Asks the engine for a count, and reads IDs where it cannot tell.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    public func entityCounts() throws(StoreError) -> [String: Int] {
        let snapshot = try snapshot()
        var counts: [String: Int] = [:]
        for entity in request.model.entities {
            let plan = FetchPlan(entity: entity, includesSubentities: false, output: .ids)
            if let count = try snapshot.count(plan) {
                counts[entity.name] = count
            } else {
                counts[entity.name] = try snapshot.countByReading(plan)
            }
        }
        return counts
    }
}

extension StoreSnapshot {
    fileprivate func countByReading(_ plan: FetchPlan) throws(StoreError) -> Int {
        let cursor = try cursor(plan)
        var count = 0
        while let batch = try cursor.next(atMost: 10_000) { count += batch.count }
        return count
    }
}
