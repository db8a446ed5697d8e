import CairnModel
import CairnStore

/// Reads a request at the server. A request that cannot be decoded is reported to the client as an error.
struct ServedRequest {
    private var reader: MessageReader

    init(_ bytes: [UInt8], _ context: MessageContext) { reader = MessageReader(bytes, context) }

    var context: MessageContext {
        get { reader.context }
        set { reader.context = newValue }
    }

    /// Returns an error for a request that is not valid in this state.
    func failure(_ message: String) -> StoreError {
        StoreError(MessageDamage(message), at: context.location, reading: "request")
    }

    /// Reads a part of the request.
    mutating func read<Value>(
        _ body: (inout MessageReader) throws(MessageDamage) -> Value
    ) throws(StoreError) -> Value {
        do { return try body(&reader) } catch {
            throw StoreError(error, at: context.location, reading: "request")
        }
    }

    /// Reads the last part of the request.
    mutating func last<Value>(
        _ body: (inout MessageReader) throws(MessageDamage) -> Value
    ) throws(StoreError) -> Value {
        let value = try read(body)
        try end()
        return value
    }

    /// Checks that no bytes follow.
    mutating func end() throws(StoreError) {
        try read { reader throws(MessageDamage) in try reader.end() }
    }

    /// Reads the header of a request, and releases the snapshots and cursors that the client no longer uses.
    mutating func header(
        _ snapshots: inout ServedSnapshots
    ) throws(StoreError) -> (SocketOperation, token: UInt64) {
        let (operation, token, released) = try read { reader throws(MessageDamage) in
            (
                try reader.operation(), try reader.integer(UInt64.self),
                try reader.list { reader throws(MessageDamage) in
                    try reader.integer(UInt64.self)
                }
            )
        }
        snapshots.release(released)
        return (operation, token)
    }

    /// Reads a save. If the model does not have the entity of a row, this throws `.unsupported`, like an
    /// engine that receives the row itself.
    mutating func saveRequest() throws(StoreError) -> SaveRequest {
        do {
            let request = try reader.saveRequest()
            try reader.end()
            return request
        } catch {
            guard let entity = error.unknownEntity else {
                throw StoreError(error, at: context.location, reading: "request")
            }
            throw .unsupported(
                context.location, feature: "no entity number \(entity)",
                advice: "Save objects of the model that the store was opened with.")
        }
    }
}

extension MessageReader {
    fileprivate mutating func operation() throws(MessageDamage) -> SocketOperation {
        let number = try integer(UInt8.self)
        guard let operation = SocketOperation(rawValue: number) else {
            throw MessageDamage("\(number) is no request")
        }
        return operation
    }

    mutating func ids() throws(MessageDamage) -> [ObjectID] {
        try list { reader throws(MessageDamage) in try reader.id() }
    }
}
