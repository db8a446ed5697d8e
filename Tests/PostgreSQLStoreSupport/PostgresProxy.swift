import Foundation
import Synchronization

/// Stands between a store and the server, counts round trips, and cuts connections or stops answering on request.
package final class PostgresProxy: Sendable {
    /// What happens to a connection in a round trip.
    package enum Fault: Sendable {
        /// The request does not reach the server.
        case cutsRequest
        /// The request reaches the server, but its answer is lost.
        case cutsAnswer
        /// Nothing is answered any more.
        case stalls
    }

    private struct State: Sendable {
        var roundTripCount = 0
        /// The round trip in which something happens, counted from the call that set it.
        var fault: (after: Int, kind: Fault)?
        var sockets: [Int32] = []
        var pause: Int32 = 0
    }

    private let state = Mutex(State())
    private let server: sockaddr_in
    /// The port at which the proxy listens on 127.0.0.1.
    package let port: Int
    private let listener: Int32

    /// - Parameter database: the address of a server on 127.0.0.1.
    package init(_ database: URL) throws {
        server = Self.address(port: database.port ?? 5432)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(in_port_t(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 { serve(client) }
        }
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    /// Ends all connections and the proxy.
    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        let sockets = state.withLock { $0.sockets }
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// The number of round trips so far. Connecting takes a few.
    package var roundTripCount: Int { state.withLock { $0.roundTripCount } }

    /// Passes a request on only when the client has written nothing for 100 ms. libpq writes a large one in parts, and
    /// the server may answer the first part before the last one is written, which would count as two round trips.
    package func gatherRequests() { state.withLock { $0.pause = 100 } }

    /// The number of connections so far.
    package var connectionCount: Int { state.withLock { $0.sockets.count / 2 } }

    /// Lets the n-th round trip from now on fail, counted from 0. Later ones are not affected, except that a stalled
    /// connection stays so.
    package func fail(in roundTrip: Int, _ fault: Fault) {
        state.withLock { $0.fault = ($0.roundTripCount + roundTrip, fault) }
    }

    private func serve(_ client: Int32) {
        let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var server = server
        let isConnected = withUnsafePointer(to: &server) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return _ = close(client) }
        state.withLock { $0.sockets += [client, upstream] }
        let pair = Pair(client: client, upstream: upstream)
        Thread.detachNewThread { [self] in pump(pair, fromClient: true) }
        Thread.detachNewThread { [self] in pump(pair, fromClient: false) }
    }

    /// The two ends of one connection.
    private final class Pair: Sendable {
        struct Use: Sendable {
            var isAnswering = true
            var losesAnswer = false
            var isStalled = false
        }

        let client: Int32
        let upstream: Int32
        let use = Mutex(Use())

        init(client: Int32, upstream: Int32) {
            (self.client, self.upstream) = (client, upstream)
        }

        func cut() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(upstream, Int32(SHUT_RDWR))
        }
    }

    private func pump(_ pair: Pair, fromClient: Bool) {
        let (source, target) =
            fromClient ? (pair.client, pair.upstream) : (pair.upstream, pair.client)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
            var request = Array(buffer[..<count])
            if fromClient { gather(&request, from: source) }
            let fault = fromClient ? begin(pair) : nil
            if fault == .cutsRequest { break }
            let isLost = pair.use.withLock { use in
                if fault == .cutsAnswer { use.losesAnswer = true }
                if fault == .stalls { use.isStalled = true }
                if !fromClient { use.isAnswering = true }
                return !fromClient && use.losesAnswer
            }
            if isLost { break }
            if pair.use.withLock(\.isStalled) { continue }
            guard send(target, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
                break
            }
        }
        pair.cut()
    }

    private func gather(_ request: inout [UInt8], from source: Int32) {
        let pause = state.withLock(\.pause)
        guard pause > 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var descriptor = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
        while poll(&descriptor, 1, pause) > 0,
            case let count = recv(source, &buffer, buffer.count, 0), count > 0
        {
            request += buffer[..<count]
        }
    }

    /// Counts a round trip if the client writes for the first time since the server's last answer.
    private func begin(_ pair: Pair) -> Fault? {
        let isNew = pair.use.withLock { use in
            defer { use.isAnswering = false }
            return use.isAnswering
        }
        guard isNew else { return nil }
        return state.withLock { state in
            defer { state.roundTripCount += 1 }
            guard let fault = state.fault, fault.after == state.roundTripCount else { return nil }
            state.fault = nil
            return fault.kind
        }
    }
}
