import CairnModel
import CairnStore
import Synchronization

/// A store in another process, reached through a Unix socket.
///
/// Each call is one message: a request and its answer. Reads share one connection. Each save uses a
/// connection of its own, because the server's engine begins and ends a save on one thread. If a client loses
/// its connection during a save, the lock is released and nothing is saved. After a loss, the next call
/// reopens the store over new connections. Snapshots of lost connections can no longer be used.
package final class SocketStore: PersistentStore {
    /// `"Socket"`.
    package static let type: StoreType = "Socket"

    /// The capabilities of the server's LMDB stores. The store accepts the option `timeout`.
    package static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, namedSaves: .wanted,
        options: [.timeout])

    package let number: StoreNumber
    package let request: OpenRequest
    private let address: SocketAddress

    private struct State {
        var session: SocketSession
        var isClosed = false
    }

    private let state: Mutex<State>

    private init(
        _ request: OpenRequest, _ address: SocketAddress, _ number: StoreNumber,
        _ session: SocketSession
    ) {
        self.request = request
        self.address = address
        self.number = number
        state = Mutex(State(session: session))
    }

    package static func open(_ request: OpenRequest) throws(StoreError) -> SocketStore {
        let address = try SocketAddress(request.location)
        for option in request.options.keys where !capabilities.options.contains(option) {
            throw .invalidOption(option, detail: "a store at a socket has no such option")
        }
        func number(_ identifier: String) -> StoreNumber {
            StoreDirectory.shared.number(
                identifier: identifier, location: request.location, model: request.model)
        }
        let session = try SocketSession.open(request, address, number: number)
        return SocketStore(request, address, session.link.context.store, session)
    }

    /// Checks that the store is open.
    ///
    /// - Throws: `.closed` if it is not.
    func checkOpen() throws(StoreError) {
        if state.withLock({ $0.isClosed }) { throw .closed(request.location) }
    }

    /// Returns the session. Reopens the store if the last session was lost.
    private func session() throws(StoreError) -> SocketSession {
        try state.withLock { state throws(StoreError) in
            if state.isClosed { throw .closed(request.location) }
            if state.session.isLost { state.session = try openAgain(state.session.identifier) }
            return state.session
        }
    }

    private func openAgain(_ identifier: String) throws(StoreError) -> SocketSession {
        var request = request
        request.createsMissing = false
        let session = try SocketSession.open(request, address) { _ in number }
        guard session.identifier == identifier else {
            throw .engineFailure(
                EngineFailure(
                    type: Self.type, location: request.location, operation: "open again", code: 0,
                    message: "another store has this name now"))
        }
        return session
    }

    package func metadata() throws(StoreError) -> StoreMetadata {
        try session().ask(.metadata) { reader throws(MessageDamage) in try reader.metadata() }
    }

    package func snapshot() throws(StoreError) -> any StoreSnapshot {
        let session = try session()
        let number = session.newNumber()
        let generation = try session.ask(.snapshot) { writer in
            writer.integer(number)
        } answer: { reader throws(MessageDamage) in
            StoreGeneration(try reader.integer(UInt64.self))
        }
        return SocketSnapshot(self, session, number: number, generation: generation)
    }

    package func newestGeneration() throws(StoreError) -> StoreGeneration {
        try session().ask(.newestGeneration) { reader throws(MessageDamage) in
            StoreGeneration(try reader.integer(UInt64.self))
        }
    }

    package func beginSave() throws(StoreError) -> any SaveTransaction {
        try beginSave(reserving: [:]).transaction
    }

    package func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave {
        let session = try session()
        let (link, begun) = try session.askForSave(.beginSave) { writer in
            writer.keyCounts(counts)
        } answer: { reader throws(MessageDamage) in
            (
                try reader.keys(),
                try reader.optional { reader throws(MessageDamage) in
                    StoreGeneration(try reader.integer(UInt64.self))
                }
            )
        }
        return BegunSave(
            SocketSaveTransaction(self, session, link), keys: begun.0, generation: begun.1)
    }

    /// Waits at the server until an interrupted save has ended.
    package func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        let session = try session()
        let (link, outcome) = try session.askForSave(.outcome) { writer in
            writer.saveID(id)
        } answer: { reader throws(MessageDamage) in
            try reader.outcome()
        }
        session.giveBack(link.connection)
        return outcome
    }

    package func close() throws(StoreError) {
        let session = state.withLock { state -> SocketSession? in
            defer { state.isClosed = true }
            return state.isClosed ? nil : state.session
        }
        // A server that is no longer running has closed the store.
        guard let session, !session.isLost else { return }
        do {
            try session.ask(.close) { _ throws(MessageDamage) in }
        } catch {
            if !session.isLost { throw error }
        }
    }
}
