import Synchronization

/// Counts the messages that this process sends about a store, and cuts a connection at the point that a test
/// chooses.
///
/// A message is a request together with its answer.
package final class SocketTraffic: Sendable {
    /// The point within a message at which the connection is cut.
    package enum Cut: Sendable, Hashable, CaseIterable {
        /// No part of the request is sent.
        case beforeRequest
        /// Half of the request's bytes are sent.
        case insideRequest
        /// The request is sent, and the connection ends immediately. The server may still perform the
        /// request.
        case afterRequest
        /// The server has performed the request, but the client does not receive the answer.
        case beforeAnswer
    }

    private struct State {
        var operations: [SocketOperation] = []
        var cut: (cut: Cut, messagesBefore: Int, lasts: Bool)?
    }

    private let state = Mutex(State())
    private static let all = Mutex<[SocketAddress: SocketTraffic]>([:])

    private init() {}

    /// Returns the traffic about the store of an address. Each address always has the same object.
    package static func about(_ address: SocketAddress) -> SocketTraffic {
        all.withLock { all in
            let known = all[address] ?? SocketTraffic()
            all[address] = known
            return known
        }
    }

    /// The messages sent, in order.
    package var operations: [SocketOperation] { state.withLock { $0.operations } }

    /// The number of messages sent.
    package var messageCount: Int { operations.count }

    /// Forgets the messages sent so far.
    package func startCounting() { state.withLock { $0.operations = [] } }

    /// Cuts the connection once, at a later message.
    ///
    /// - Parameters:
    ///   - messagesBefore: The number of messages to transmit unharmed first.
    ///   - lasts: Whether no later message is sent, until ``mend()`` is called.
    package func cut(_ cut: Cut, afterMessages messagesBefore: Int, lasts: Bool = false) {
        state.withLock { $0.cut = (cut, messagesBefore, lasts) }
    }

    /// Whether a requested cut has not happened yet.
    package var isCutPending: Bool { state.withLock { $0.cut != nil } }

    /// Cancels the requested cut, if any.
    package func mend() { state.withLock { $0.cut = nil } }

    /// Records a message that is about to be sent.
    ///
    /// - Returns: The point at which to cut the connection, or `nil` not to cut it.
    func next(_ operation: SocketOperation) -> Cut? {
        state.withLock { state in
            state.operations.append(operation)
            guard let (cut, messagesBefore, lasts) = state.cut else { return nil }
            guard messagesBefore == 0 else {
                state.cut = (cut, messagesBefore - 1, lasts)
                return nil
            }
            state.cut = lasts ? (.beforeRequest, 0, lasts) : nil
            return cut
        }
    }
}
