import CairnStore

extension FileStore {
    /// Runs a body while no one has the store open and no save over several stores is unfinished in
    /// it.
    ///
    /// Use this method to copy, move, replace, remove or migrate the files of a store, because the
    /// journal of an unfinished save would not match the store afterwards.
    ///
    /// - Throws: `.savePending` if the body was not run for that reason; the errors of
    ///   ``withExclusiveUse(of:_:)``.
    static func withExclusiveUseWithoutPendingSave<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try withExclusiveUse(of: location) { () throws(StoreError) in
            try location.requireNoPendingSave()
            return try body()
        }
    }
}
