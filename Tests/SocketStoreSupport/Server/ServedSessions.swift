import CairnStore
import Synchronization

/// A store that the server has open for a client.
struct OpenedStore: Sendable {
    let store: any PersistentStore
    /// The identifier, which is the same for all clients of a store.
    let identifier: String

    /// The context for decoding the client's messages.
    var context: MessageContext {
        MessageContext(
            location: store.request.location, layouts: store.request.layouts, store: store.number)
    }
}

/// The stores that the server has open, by the tokens with which clients refer to them.
final class ServedSessions: Sendable {
    /// The changes that clients made in these stores.
    let changes = ServedChanges()
    private let all = Mutex<[UInt64: OpenedStore]>([:])

    /// Adds a store, and returns a token that cannot be guessed.
    func add(_ store: OpenedStore) -> UInt64 {
        let token = UInt64.random(in: 1 ... .max)
        all.withLock { $0[token] = store }
        return token
    }

    /// Returns the store for a token, or `nil` if the server was restarted or the client has left.
    func store(_ token: UInt64) -> OpenedStore? { all.withLock { $0[token] } }

    func remove(_ token: UInt64) { all.withLock { _ = $0.removeValue(forKey: token) } }
}
