import CairnModel
import CairnStore

/// Why a request was not answered with what it asked for.
enum SocketFailure: Error {
    /// The server refuses it, or the client does before it is sent.
    case refused(StoreError)
    /// The connection was lost.
    case lost(SocketConnection.Loss)
    /// The answer cannot be read.
    case damaged(MessageDamage)
}

/// A connection to the server, with what its messages are written and read with.
struct SocketLink: Sendable {
    let connection: SocketConnection
    /// The server's number for the opened store. 0 while there is none.
    var token: UInt64
    var context: MessageContext

    /// Sends a request and reads its answer.
    ///
    /// - Parameter released: snapshots and cursors that the client does not use any more.
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
        // What ends a save or the store goes over in any case.
        let deadline = [.rollback, .close].contains(operation) ? nil : StoreDeadline.current
        if let deadline, deadline <= .now { throw .refused(.deadlineExceeded) }
        let bytes: [UInt8]
        do throws(SocketConnection.Loss) {
            bytes = try connection.exchange(operation, request, until: deadline)
        } catch {
            throw .lost(error)
        }
        let result: Result<Answer, StoreError>
        do throws(MessageDamage) {
            result = try Self.result(of: bytes, context, read)
        } catch {
            throw .damaged(error)
        }
        do throws(StoreError) { return try result.get() } catch { throw .refused(error) }
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

    /// The failure as an engine reports it. A lost connection is transient: the call may succeed over
    /// a new one.
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
