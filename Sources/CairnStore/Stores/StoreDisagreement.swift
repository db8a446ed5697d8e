/// One thing in which a store is not what its rows say.
public struct StoreDisagreement: Sendable, Hashable, CustomStringConvertible {
    /// Where it was found, in the engine's words: a table, an index.
    public var location: String
    /// What is wrong there. Names objects by entity and key, and no stored value.
    public var detail: String

    /// Reported by an engine's ``SelfCheckingStore/findDisagreements()``.
    public init(location: String, detail: String) {
        self.location = location
        self.detail = detail
    }

    /// Location and detail.
    public var description: String { "\(location): \(detail)" }
}
