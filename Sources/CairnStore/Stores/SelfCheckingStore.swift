/// A store that reports its size, and that can check its additional data, such as indexes, against
/// its rows.
public protocol SelfCheckingStore: PersistentStore {
    /// Returns the current size of the store: the total length of its file and of all existing
    /// companion files. For a store without files, returns the size of its rows. Returns `nil` if
    /// the engine cannot tell.
    ///
    /// The default implementation of a ``FileStore`` asks the file system about each file, and can
    /// be called on a closed store.
    ///
    /// - Throws: `.closed` if the store has to be open to tell; `.fileFailure`.
    func byteCount() throws(StoreError) -> Int?

    /// Reads the whole store and returns every damaged row, and every disagreement between the rows
    /// and the data that the engine keeps beside them, such as indexes. Returns an empty array if
    /// the store is sound.
    ///
    /// The default implementation returns an empty array. It is meant for engines that keep no data
    /// beside their rows.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func findDisagreements() throws(StoreError) -> [StoreDisagreement]

    /// Returns every part of the store that contains values but belongs to nothing in the model,
    /// such as a column that another program added. No row contains these values, so a copy of the
    /// store lacks them. Returns an empty array if the model explains every value.
    ///
    /// The default implementation returns an empty array. It is meant for engines that keep only
    /// rows of the model's entities.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func findUnexplainedValues() throws(StoreError) -> [StoreDisagreement]
}

extension SelfCheckingStore {
    /// Returns an empty array.
    public func findDisagreements() throws(StoreError) -> [StoreDisagreement] { [] }

    /// Returns an empty array.
    public func findUnexplainedValues() throws(StoreError) -> [StoreDisagreement] { [] }
}

/// A disagreement between a store's rows and the rest of its data, a damaged row, or values that
/// the model does not explain.
public struct StoreDisagreement: Sendable, Hashable, CustomStringConvertible {
    /// Where the disagreement was found, in the engine's terms, such as a table or an index.
    public var location: String
    /// What is wrong there. Objects are named by entity and key, and stored values are not shown.
    public var detail: String

    /// Creates a disagreement for an engine's ``SelfCheckingStore`` to return.
    public init(location: String, detail: String) {
        self.location = location
        self.detail = detail
    }

    /// The location and the detail.
    public var description: String { "\(location): \(detail)" }
}
