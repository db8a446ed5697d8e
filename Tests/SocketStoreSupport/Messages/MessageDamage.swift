import CairnStore

/// Why bytes are not a message.
struct MessageDamage: Error, Sendable {
    /// What is wrong, without any stored value.
    let detail: String
    /// The number of a row's entity that the model does not have, if this is what is wrong.
    let unknownEntity: UInt16?

    init(_ detail: String, unknownEntity: UInt16? = nil) {
        self.detail = detail
        self.unknownEntity = unknownEntity
    }
}

extension StoreError {
    /// The error for a message that cannot be read.
    init(_ damage: MessageDamage, at location: StoreLocation, reading what: String) {
        self = .engineFailure(
            EngineFailure(
                type: SocketStore.type, location: location, operation: "read the \(what)", code: 0,
                message: damage.detail))
    }
}
