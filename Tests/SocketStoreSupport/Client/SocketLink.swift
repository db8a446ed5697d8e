import CairnModel
import CairnStore

/// The reason for which a request failed.
enum SocketFailure: Error {
    /// The server refused the request, or the client did so before sending it.
    case refused(StoreError)
    /// The connection was lost.
    case lost(SocketConnection.Loss)
    /// The answer cannot be decoded.
    case damaged(MessageDamage)
}

/// A connection to the server, with the context for encoding and decoding messages.
struct SocketLink: Sendable {
    let connection: SocketConnection
    /// The server's number for the opened store, or 0 before a store is opened.
    var token: UInt64
    var context: MessageContext

    /// Sends a request and reads its answer.
    ///
    /// - Parameter released: Snapshots and cursors that the client no longer uses.
    func ask<Answer>(
        _ operation: SocketOperation, releasing released: [UInt64] = [],
        _ write: (inout MessageWriter) -> Void = { _ in },
        answer read: (inout MessageReader) throws(MessageDamage) -> Answer
    ) throws(SocketFailure) -> Answer {
        var writer = MessageWriter(operation, of: token, releasing: released)
        write(&writer)
        let request = writer.bytes
        guard request.count <= MessageLimits.request else {
            throw .refused(
                .unsupported(
                    context.location, feature: "no message of \(request.count) bytes",
                    advice: "Save fewer objects at a time."))
        }
        // Requests that end a save or close the store are sent even after the deadline.
        let deadline = [.rollback, .close].contains(operation) ? nil : StoreDeadline.current
        if let deadline, deadline <= .now { throw .refused(.deadlineExceeded) }
        let bytes: [UInt8]
        do {
            bytes = try connection.exchange(operation, request, until: deadline)
        } catch {
            throw .lost(error)
        }
        let result: Result<Answer, StoreError>
        do {
            result = try Self.result(of: bytes, context, read)
        } catch {
            throw .damaged(error)
        }
        do { return try result.get() } catch { throw .refused(error) }
    }

    private static func result<Answer>(
        of answer: [UInt8], _ context: MessageContext,
        _ read: (inout MessageReader) throws(MessageDamage) -> Answer
    ) throws(MessageDamage) -> Result<Answer, StoreError> {
        var reader = MessageReader(answer, context)
        let result: Result<Answer, StoreError> =
            try reader.flag() ? .success(try read(&reader)) : .failure(try reader.error())
        try reader.end()
        return result
    }

    /// Returns the failure as an engine error. The loss of a connection is transient, because the call may
    /// succeed over a new connection.
    func error(_ failure: SocketFailure) -> StoreError {
        switch failure {
        case .refused(let error): error
        case .lost(let loss) where loss.isLate: .deadlineExceeded
        case .lost(let loss): .engineFailure(Self.failure(loss.failure, at: context.location))
        case .damaged(let damage): StoreError(damage, at: context.location, reading: "answer")
        }
    }

    static func failure(_ failure: ChannelFailure, at location: StoreLocation) -> EngineFailure {
        EngineFailure(
            type: SocketStore.type, location: location, operation: failure.operation,
            code: Int(failure.code), message: failure.message, isTransient: true)
    }
}
