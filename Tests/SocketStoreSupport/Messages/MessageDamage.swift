import CairnStore

/// The reason for which bytes cannot be decoded as a message.
struct MessageDamage: Error, Sendable {
    /// A description of the problem, without any stored value.
    let detail: String
    /// The entity number of a row if the model has no such entity and this is the problem; otherwise `nil`.
    let unknownEntity: UInt16?

    init(_ detail: String, unknownEntity: UInt16? = nil) {
        self.detail = detail
        self.unknownEntity = unknownEntity
    }
}

extension StoreError {
    /// Creates the error for a message that cannot be decoded.
    init(_ damage: MessageDamage, at location: StoreLocation, reading what: String) {
        self = .engineFailure(
            EngineFailure(
                type: SocketStore.type, location: location, operation: "read the \(what)", code: 0,
                message: damage.detail))
    }
}
