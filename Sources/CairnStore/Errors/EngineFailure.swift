/// A failure of an engine's library.
public struct EngineFailure: Error, Sendable, Hashable {
    /// The engine whose library it is.
    public var type: StoreType
    /// The store that the library was working on.
    public var location: StoreLocation
    /// What was tried, in the engine's words.
    public var operation: String
    /// The library's code.
    public var code: Int
    /// The library's own message.
    public var message: String
    /// Whether the same call may succeed a moment later although nobody does anything, as after a lost
    /// connection. The coordinator then tries a save again, a few times within half a second. `false`
    /// for a disk that is full or failed.
    public var isTransient: Bool

    /// A failure that trying again does not help, unless the engine knows better.
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
