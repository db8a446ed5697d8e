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
