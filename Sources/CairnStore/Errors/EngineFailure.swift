/// A failure of the library that an engine uses.
public struct EngineFailure: Error, Sendable, Hashable {
    /// The engine whose library failed.
    public var type: StoreType
    /// The store that the library was working on.
    public var location: StoreLocation
    /// The operation that failed, in the engine's terms.
    public var operation: String
    /// The library's code.
    public var code: Int
    /// The library's own message.
    public var message: String
    /// Whether the same call may succeed a moment later without anyone's intervention, for example
    /// after a lost connection. The coordinator then repeats a save a few times within half a
    /// second. `false` for a disk that is full or failed.
    public var isTransient: Bool

    /// Creates a failure. By default, it is not transient.
    public init(
        type: StoreType, location: StoreLocation, operation: String, code: Int, message: String,
        isTransient: Bool = false
    ) {
        self.type = type
        self.location = location
        self.operation = operation
        self.code = code
        self.message = message
        self.isTransient = isTransient
    }
}
