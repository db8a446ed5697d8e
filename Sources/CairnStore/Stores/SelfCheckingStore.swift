/// A store that says how much room it takes, and that can compare what it keeps with its rows.
public protocol SelfCheckingStore: PersistentStore {
    /// Returns how many bytes the store takes now: the lengths of its file and of all companion files
    /// that exist. For a store without files, returns what its rows hold. Returns `nil` if the engine
    /// cannot tell.
    ///
    /// The default implementation of a ``FileStore`` asks the file system about each file, and may be
    /// called on a closed store.
    ///
    /// - Throws: `.closed` if only an open store can tell, `.fileFailure`.
    func byteCount() throws(StoreError) -> Int?

    /// Reads the whole store and returns each disagreement between its rows and what the engine
    /// keeps beside them, such as indexes, and each row that is damaged. Returns an empty array if the
    /// store is sound.
    ///
    /// The default implementation is for engines that keep nothing beside their rows. It returns an
    /// empty array.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func findDisagreements() throws(StoreError) -> [StoreDisagreement]
}

extension SelfCheckingStore {
    /// Returns an empty array.
    public func findDisagreements() throws(StoreError) -> [StoreDisagreement] { [] }
}
