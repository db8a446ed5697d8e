import CairnModel
import CairnStore

/// A request that the server reads. What cannot be read is an error for the client.
struct ServedRequest {
    private var reader: MessageReader

    init(_ bytes: [UInt8], _ context: MessageContext) { reader = MessageReader(bytes, context) }

    var context: MessageContext {
        get { reader.context }
        set { reader.context = newValue }
    }

    /// An error for a request that makes no sense here.
    func failure(_ message: String) -> StoreError {
        StoreError(MessageDamage(message), at: context.location, reading: "request")
    }

    /// Reads a part of the request.
    mutating func read<Value>(
        _ body: (inout MessageReader) throws(MessageDamage) -> Value
    ) throws(StoreError) -> Value {
        do throws(MessageDamage) { return try body(&reader) } catch {
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

    /// Checks that nothing follows.
    mutating func end() throws(StoreError) {
        try read { reader throws(MessageDamage) in try reader.end() }
    }

    /// Reads what every request begins with, and releases what the client does not use any more.
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

    /// Reads the save. A row of an entity that the model does not have is `.unsupported`, as it is with
    /// an engine that gets the row itself.
    mutating func saveRequest() throws(StoreError) -> SaveRequest {
        do throws(MessageDamage) {
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
