/// One thing in which a store is not what its rows say.
public struct StoreDisagreement: Sendable, Hashable, CustomStringConvertible {
    /// Where it stands, in the engine's words: a table, an index.
    public var place: String
    /// What is wrong there. Names objects by entity and key, and no stored value.
    public var detail: String

    /// Reported by an engine's ``SelfCheckingStore/findDisagreements()``.
    public init(place: String, detail: String) {
        self.place = place
        self.detail = detail
    }

    /// Place and detail.
    public var description: String { "\(place): \(detail)" }
}
