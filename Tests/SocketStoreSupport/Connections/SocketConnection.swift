import Synchronization

/// The client's end of a connection: one request and its answer at a time.
final class SocketConnection: Sendable {
    /// The reason for which there is no answer.
    struct Loss: Error {
        let failure: ChannelFailure
        /// Whether the server may have performed the request.
        let mayBeDone: Bool
        /// Whether the connection was abandoned because the answer did not arrive by its deadline.
        var isLate = false
    }

    /// The channel, or `nil` after the connection was lost.
    private let channel: Mutex<SocketChannel?>
    private let traffic: SocketTraffic

    init(_ address: SocketAddress, _ traffic: SocketTraffic) throws(ChannelFailure) {
        channel = Mutex(try SocketChannel(path: address.socketPath))
        self.traffic = traffic
    }

    /// Whether the connection can no longer send requests.
    var isLost: Bool { channel.withLock { $0 == nil } }

    /// Sends a request and waits for its answer. Closes the connection after a loss, and also if the answer
    /// is late, because the next request would otherwise receive it.
    func exchange(
        _ operation: SocketOperation, _ request: [UInt8],
        until deadline: ContinuousClock.Instant? = nil
    ) throws(Loss) -> [UInt8] {
        try channel.withLock { channel throws(Loss) in
            guard let open = channel.take() else {
                throw Loss(
                    failure: ChannelFailure(operation: "send", code: 0), mayBeDone: false)
            }
            let answer = try Self.exchange(
                request, over: open, traffic.next(operation), until: deadline)
            channel = consume open
            return answer
        }
    }

    private static func exchange(
        _ request: [UInt8], over channel: borrowing SocketChannel, _ cut: SocketTraffic.Cut?,
        until deadline: ContinuousClock.Instant?
    ) throws(Loss) -> [UInt8] {
        let isCut = ChannelFailure(operation: "exchange", code: 0)
        if cut == .beforeRequest { throw Loss(failure: isCut, mayBeDone: false) }
        do {
            try channel.send(request, onlyHalf: cut == .insideRequest)
        } catch {
            throw Loss(failure: error, mayBeDone: false)
        }
        if cut == .insideRequest { throw Loss(failure: isCut, mayBeDone: false) }
        if cut == .afterRequest { throw Loss(failure: isCut, mayBeDone: true) }
        if let deadline, !channel.hasMessage(by: deadline) {
            throw Loss(failure: isCut, mayBeDone: true, isLate: true)
        }
        let answer: [UInt8]?
        do {
            answer = try channel.receive(atMost: MessageLimits.answer)
        } catch {
            throw Loss(failure: error, mayBeDone: true)
        }
        guard let answer, cut != .beforeAnswer else {
            throw Loss(failure: isCut, mayBeDone: true)
        }
        return answer
    }
}
