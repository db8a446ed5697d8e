import CairnStore
import Synchronization

/// A store that the server has open for a client.
struct OpenedStore: Sendable {
    let store: any PersistentStore
    /// The same for all clients of one store.
    let identifier: String

    /// What the client's messages are read with.
    var context: MessageContext {
        MessageContext(
            location: store.request.location, layouts: store.request.layouts, store: store.number)
    }
}

/// The stores that the server has open, by the tokens that clients name them with.
final class ServedSessions: Sendable {
    /// What clients changed in these stores.
    let changes = ServedChanges()
    private let all = Mutex<[UInt64: OpenedStore]>([:])

    /// Adds a store under a token that cannot be guessed.
    func add(_ store: OpenedStore) -> UInt64 {
        let token = UInt64.random(in: 1 ... .max)
        all.withLock { $0[token] = store }
        return token
    }

    /// The store of a token. `nil` if the server was started again since, or the client is gone.
    func store(_ token: UInt64) -> OpenedStore? { all.withLock { $0[token] } }

    func remove(_ token: UInt64) { all.withLock { _ = $0.removeValue(forKey: token) } }
}
