/// A handler that is called on the thread that passed it, or on the main queue.
package struct LoadingHandler: @unchecked Sendable {
    // Unchecked: a handler that is isolated to the main actor is only called on the main queue. Other
    // handlers are called on the calling thread, or on the main queue if their caller asked for stores
    // to be added asynchronously. The methods that take a handler document this.
    package let call: (PersistentStoreDescription, GraphError?) -> Void

    package init(_ call: @escaping (PersistentStoreDescription, GraphError?) -> Void) {
        self.call = call
    }
}
