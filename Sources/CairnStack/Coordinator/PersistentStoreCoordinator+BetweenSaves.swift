import CairnStore

extension PersistentStoreCoordinator {
    /// Runs a body that takes the newest states of stores at one moment between two saves. Saves of this and of
    /// other processes wait for the body.
    ///
    /// - Throws: `.unknownStore`; `.store` with the errors of ``SaveBarrier/run(_:)``.
    package func betweenSaves<Result>(
        of stores: [any PersistentStore], _ body: () throws(StoreError) -> Result
    ) throws(GraphError) -> Result {
        var attached: [AttachedStore] = []
        for store in stores { attached.append(try self.attached(store)) }
        do {
            return try SaveBarrier(attached).run(body)
        } catch {
            throw GraphError(ofSave: error)
        }
    }
}
