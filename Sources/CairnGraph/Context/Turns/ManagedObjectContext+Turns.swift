extension ManagedObjectContext {
    /// Runs the body in a turn of the context, and returns when the body did.
    ///
    /// For code that holds the context itself; other threads and tasks hold its ``handle``. Waits for the
    /// turn that is under way. Inside of a turn of the same context it runs at once, as a part of that
    /// turn. The body of a private-queue context runs on the calling thread, that of a main-queue context
    /// on the main queue.
    ///
    /// - Throws: what the body throws; `GraphError.waitCycle`, `GraphError.waitCancelled` as
    ///   ``ContextHandle/performAndWait(_:)``.
    public func performAndWait<Result>(_ body: () throws -> Result) throws -> Result {
        if queue.isCurrent { return try body() }
        if queue.concurrencyType == .privateQueue {
            return try queue.runOwned { try inTurn { _ in try body() } }
        }
        return try queue.performAndWait {
            Swift.Result { try inTurn { _ in try body() } }
        }.get()
    }

    /// Passes the context to the body in a turn of its own, and returns what the body returns.
    ///
    /// For code that holds the context itself; see ``ContextHandle/perform(isolation:_:)``. The body takes the
    /// context as its parameter, because it may run on another thread: objects and contexts are not
    /// `Sendable`, so the compiler does not let the body capture them.
    ///
    /// - Throws: what the body throws; `CancellationError` if the task was cancelled before its turn.
    public func perform<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await handle.perform(isolation: isolation, body)
    }

    /// Asks for a turn in which the context is passed to the body, and returns at once.
    ///
    /// See ``ContextHandle/perform(_:)``.
    public func perform(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
        handle.perform(body)
    }
}
