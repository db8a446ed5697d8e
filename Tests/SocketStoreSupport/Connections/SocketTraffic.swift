import CairnStore
import Synchronization

/// Counts the messages that this process sends about one store, and cuts a connection where a test
/// wants that.
///
/// A message is a request with its answer.
package final class SocketTraffic: Sendable {
    /// Where in a message the connection is cut.
    package enum Cut: Sendable, Hashable, CaseIterable {
        /// Nothing of the request is sent.
        case beforeRequest
        /// Half of the request's bytes are sent.
        case insideRequest
        /// The request is sent, and the connection ends at once. The server may still carry it out.
        case afterRequest
        /// The server has carried the request out, and the client does not get the answer.
        case beforeAnswer
    }

    private struct State {
        var operations: [SocketOperation] = []
        var cut: (cut: Cut, messagesBefore: Int)?
    }

    private let state = Mutex(State())
    private static let all = Mutex<[SocketAddress: SocketTraffic]>([:])

    private init() {}

    /// The traffic about the store of an address; the same each time.
    package static func about(_ address: SocketAddress) -> SocketTraffic {
        all.withLock { all in
            let known = all[address] ?? SocketTraffic()
            all[address] = known
            return known
        }
    }

    /// The messages that were sent, in their order.
    package var operations: [SocketOperation] { state.withLock { $0.operations } }

    /// How many messages were sent.
    package var messageCount: Int { operations.count }

    /// Forgets what was sent before.
    package func startCounting() { state.withLock { $0.operations = [] } }

    /// Cuts the connection once, at a later message.
    ///
    /// - Parameter messagesBefore: how many messages go over unharmed before.
    package func cut(_ cut: Cut, afterMessages messagesBefore: Int) {
        state.withLock { $0.cut = (cut, messagesBefore) }
    }

    /// Whether a cut was asked for that was not made yet.
    package var isCutPending: Bool { state.withLock { $0.cut != nil } }

    /// Takes down the cut that was asked for, if there is any.
    package func mend() { state.withLock { $0.cut = nil } }

    /// Counts a message that is about to be sent.
    ///
    /// - Returns: where to cut the connection.
    func next(_ operation: SocketOperation) -> Cut? {
        state.withLock { state in
            state.operations.append(operation)
            guard let (cut, messagesBefore) = state.cut else { return nil }
            state.cut = messagesBefore == 0 ? nil : (cut, messagesBefore - 1)
            return messagesBefore == 0 ? cut : nil
        }
    }
}
