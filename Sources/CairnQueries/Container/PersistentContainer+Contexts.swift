import CairnObjects

extension PersistentContainer {
    /// The context for the user interface. It belongs to the main queue and is used from the main actor.
    ///
    /// The context is created at the first access; later accesses return the same context.
    @MainActor public var viewContext: ManagedObjectContext {
        if let made = viewContextHandle { return made.mainQueueContext }
        let context = ManagedObjectContext(
            coordinator: persistentStoreCoordinator, classes: objectClasses)
        viewContextHandle = ContextHandle(context)
        return context
    }

    /// Creates a context with a private queue. Use the context through the handle's `perform`.
    public func newBackgroundContext() -> ContextHandle {
        ContextHandle(source: persistentStoreCoordinator, classes: objectClasses)
    }

    /// Runs a closure with a new context that has a private queue, and returns the closure's result: a
    /// `Sendable` value, such as an ID, a number or a snapshot.
    ///
    /// The context ends when the closure returns. Unsaved changes are discarded.
    ///
    /// - Throws: The error that `body` throws.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await newBackgroundContext().perform(body)
    }

    /// Runs a closure with a new context that has a private queue. The same as ``perform(_:)``, under
    /// Core Data's name.
    ///
    /// - Throws: The error that `body` throws.
    public func performBackgroundTask<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await newBackgroundContext().perform(body)
    }

    /// Runs a closure with a new context that has a private queue, on a thread of the coordinator's
    /// executor.
    ///
    /// Returns immediately. The context ends when the closure returns, and unsaved changes are
    /// discarded. The closures of several calls may run at the same time.
    public func performBackgroundTask(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
        newBackgroundContext().perform(body)
    }
}
