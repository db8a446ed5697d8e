import CairnModel
import CairnStore
import Synchronization

/// A store opened at the server: the connection over which it was opened, which is also used for reading, and
/// the connections for saves. The session ends with the former connection.
final class SocketSession: Sendable {
    let link: SocketLink
    /// The store's identifier, as reported by the server.
    let identifier: String
    private let address: SocketAddress
    private let traffic: SocketTraffic

    private struct State {
        var lastNumber: UInt64 = 0
        /// Snapshots and cursors to release with the next request.
        var released: [UInt64] = []
        /// Connections for saves that are currently unused.
        var idle: [SocketConnection] = []
        var isLost = false
    }

    private let state = Mutex(State())

    private init(
        _ link: SocketLink, identifier: String, _ address: SocketAddress, _ traffic: SocketTraffic
    ) {
        self.link = link
        self.identifier = identifier
        self.address = address
        self.traffic = traffic
    }

    /// Opens a store with a single message, which contains the model.
    ///
    /// - Parameter number: Returns the store's number for its identifier.
    static func open(
        _ request: OpenRequest, _ address: SocketAddress, number: (String) -> StoreNumber
    ) throws(StoreError) -> SocketSession {
        let traffic = SocketTraffic.about(address)
        var link = SocketLink(
            connection: try connect(address, traffic, request.location), token: 0,
            context: MessageContext(
                location: request.location, layouts: request.layouts,
                store: StoreNumber(rawValue: 0)))
        let identifier: String
        do {
            (link.token, identifier) = try link.ask(.open) { writer in
                writer.openRequest(request, name: address.storeName)
            } answer: { reader throws(MessageDamage) in
                (try reader.integer(UInt64.self), try reader.text())
            }
        } catch {
            throw link.error(error)
        }
        link.context.store = number(identifier)
        return SocketSession(link, identifier: identifier, address, traffic)
    }

    private static func connect(
        _ address: SocketAddress, _ traffic: SocketTraffic, _ location: StoreLocation
    ) throws(StoreError) -> SocketConnection {
        do {
            return try SocketConnection(address, traffic)
        } catch {
            throw .engineFailure(SocketLink.failure(error, at: location))
        }
    }

    /// Whether a connection of the session was lost, so that the store should be reopened.
    var isLost: Bool { state.withLock { $0.isLost } || link.connection.isLost }

    // MARK: Reading

    /// Returns an unused number for a snapshot or a cursor.
    func newNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Releases a snapshot or a cursor at the server with the next request.
    func release(_ number: UInt64) { state.withLock { $0.released.append(number) } }

    /// Sends a request over the connection for reading.
    func ask<Answer>(
        _ operation: SocketOperation, _ write: (inout MessageWriter) -> Void = { _ in },
        answer read: (inout MessageReader) throws(MessageDamage) -> Answer
    ) throws(StoreError) -> Answer {
        let released = state.withLock { state in
            defer { state.released = [] }
            return state.released
        }
        do {
            return try link.ask(operation, releasing: released, write, answer: read)
        } catch {
            throw link.error(error)
        }
    }

    // MARK: Saving

    /// Sends a request that waits for the write lock, over an unused connection for saves. Returns the
    /// connection together with the answer.
    func askForSave<Answer>(
        _ operation: SocketOperation, _ write: (inout MessageWriter) -> Void,
        answer read: (inout MessageReader) throws(MessageDamage) -> Answer
    ) throws(StoreError) -> (SocketLink, Answer) {
        let saving = SocketLink(
            connection: try idleConnection(), token: link.token, context: link.context)
        do {
            return (saving, try saving.ask(operation, write, answer: read))
        } catch {
            giveBack(saving.connection)
            let error = saving.error(error)
            if error.isLostSession { state.withLock { $0.isLost = true } }
            throw error
        }
    }

    private func idleConnection() throws(StoreError) -> SocketConnection {
        if let idle = state.withLock({ $0.idle.popLast() }) { return idle }
        do {
            return try Self.connect(address, traffic, link.context.location)
        } catch {
            state.withLock { $0.isLost = true }
            throw error
        }
    }

    /// Keeps a connection for the next save. If it was lost, the other connections may be lost as well.
    func giveBack(_ connection: SocketConnection) {
        let isLost = connection.isLost
        state.withLock { state in
            if isLost { state.isLost = true } else { state.idle.append(connection) }
        }
    }
}

extension StoreError {
    /// Returns the server's error for a request about a store that it does not know, because the server was
    /// restarted.
    static func lostSession(at location: StoreLocation) -> StoreError {
        .engineFailure(
            EngineFailure(
                type: SocketStore.type, location: location, operation: lostSessionOperation,
                code: 0, message: "the server was started again", isTransient: true))
    }

    private static var lostSessionOperation: String { "find the opened store" }

    fileprivate var isLostSession: Bool {
        guard case .engineFailure(let failure) = self else { return false }
        return failure.operation == Self.lostSessionOperation
    }
}
