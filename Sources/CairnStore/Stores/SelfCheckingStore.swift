/// A store that says how much room it takes, and that can compare what it keeps with its rows.
public protocol SelfCheckingStore: PersistentStore {
    /// How many bytes the store takes now: its file with all companion files that are there, by
    /// their lengths; of a store in memory, what its rows hold. Returns `nil` if the engine cannot
    /// tell.
    ///
    /// The default implementation of a ``FileStore`` asks the file system about each file, and may be
    /// called on a closed store.
    ///
    /// - Throws: `.closed` if only an open store can tell, `.fileFailure`.
    func byteCount() throws(StoreError) -> Int?

    /// Reads the whole store and returns each disagreement between its rows and what the engine
    /// keeps beside them, such as indexes, and each row that is damaged; empty: all is well.
    ///
    /// The default implementation is for engines that keep nothing beside their rows: it finds
    /// nothing.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func findDisagreements() throws(StoreError) -> [StoreDisagreement]
}

extension SelfCheckingStore {
    /// Finds nothing: there is nothing beside the rows.
    public func findDisagreements() throws(StoreError) -> [StoreDisagreement] { [] }
}
