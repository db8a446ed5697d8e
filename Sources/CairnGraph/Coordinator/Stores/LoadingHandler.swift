import CairnStore

/// A handler that is called on the thread that gave it, or on the main queue.
struct LoadingHandler: @unchecked Sendable {
    // Unchecked: a handler of the main actor is called on the main queue only. Another one is called
    // on the calling thread, or on the main queue if its caller asked for stores to be added
    // asynchronously, which is documented where the handler is taken.
    let call: (PersistentStoreDescription, GraphError?) -> Void

    init(_ call: @escaping (PersistentStoreDescription, GraphError?) -> Void) {
        self.call = call
    }
}
