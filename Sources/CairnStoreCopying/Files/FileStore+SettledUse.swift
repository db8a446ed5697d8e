import CairnStore

extension FileStore {
    /// Runs a body while nobody has the store open, and no save over several stores is left to be
    /// finished in it.
    ///
    /// Whoever copies, moves, replaces, removes or migrates the files of a store uses this: the journal
    /// of such a save would not fit the store any more.
    ///
    /// - Throws: `.savePending`: the body was not run; as ``withExclusiveUse(of:_:)``.
    static func withSettledUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try withExclusiveUse(of: location) { () throws(StoreError) in
            try location.requireNoPendingSave()
            return try body()
        }
    }
}
