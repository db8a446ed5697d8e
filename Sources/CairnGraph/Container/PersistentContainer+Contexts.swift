extension PersistentContainer {
    /// The context for the user interface: on the main queue, used from the main actor.
    ///
    /// Always the same one.
    @MainActor public var viewContext: ManagedObjectContext {
        if let made = viewContextHandle { return made.mainQueueContext }
        let context = ManagedObjectContext(
            mainQueueOn: persistentStoreCoordinator, classes: objectClasses)
        viewContextHandle = ContextHandle(context)
        return context
    }

    /// Returns a new context with a private queue, to be used through the handle's `perform`.
    public func newBackgroundContext() -> ContextHandle {
        ContextHandle(source: persistentStoreCoordinator, classes: objectClasses)
    }

    /// Passes a new context with a private queue to the body, and returns what the body returns: a `Sendable`
    /// value, such as an ID, a number or a snapshot.
    ///
    /// The context ends with the body; what was not saved is forgotten.
    ///
    /// - Throws: what the body throws.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await newBackgroundContext().perform(body)
    }

    /// Passes a new context with a private queue to the body: ``perform(_:)`` under Core Data's name.
    ///
    /// - Throws: what the body throws.
    public func performBackgroundTask<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await newBackgroundContext().perform(body)
    }

    /// Passes a new context with a private queue to the body, on a thread of the coordinator's executor.
    ///
    /// Returns at once. The context ends with the body; what was not saved is forgotten. Bodies of several
    /// calls may run at the same time.
    public func performBackgroundTask(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
        newBackgroundContext().perform(body)
    }
}
