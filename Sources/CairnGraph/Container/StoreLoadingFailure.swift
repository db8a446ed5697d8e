/// A store that a container could not open, and why.
public struct StoreLoadingFailure: Error, Sendable {
    public var description: StoreDescription
    public var reason: GraphError

    public init(description: StoreDescription, reason: GraphError) {
        self.description = description
        self.reason = reason
    }
}
