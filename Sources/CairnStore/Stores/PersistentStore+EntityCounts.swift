import CairnModel

extension PersistentStore {
    /// Counts the rows of each entity of the store's model. Rows of subentities count only for the
    /// subentity.
    ///
    /// The engine is asked for each count. If it cannot tell, the IDs are read and counted.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    package func entityCounts() throws(StoreError) -> [String: Int] {
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
