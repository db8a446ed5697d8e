import CairnModel
import CairnStack
import CairnThreads

extension ManagedObjectContext {
    /// Creates a context without a source. Connect it by setting ``persistentStoreCoordinator`` or
    /// ``parent``.
    ///
    /// Until then, everything that needs a model or a store throws `.notConnected`. A main-queue context
    /// may be created on any thread, but must be used on the main queue. Use a private-queue context
    /// within ``performAndWait(_:)`` or through its ``handle``.
    ///
    /// - Parameters:
    ///   - concurrencyType: The kind of thread that does the context's work.
    ///   - classes: The Swift classes of the model's entities. A context with a parent uses the parent's
    ///     classes instead.
    public convenience init(
        concurrencyType: ConcurrencyType, classes: ObjectClasses = ObjectClasses()
    ) {
        let isMainQueue = concurrencyType == .mainQueue
        self.init(
            source: RefusingSource(), concurrencyType: concurrencyType,
            name: isMainQueue ? "main" : nil, classes: classes)
        if isMainQueue, MainQueue.isCurrent { queue.ownerLock.bind(to: TurnOwner.runningThread) }
    }

    /// Creates a main-queue context that uses a coordinator.
    ///
    /// - Parameters:
    ///   - coordinator: The coordinator that the context fetches from and saves to.
    ///   - classes: The Swift classes of the model's entities.
    @MainActor public convenience init(
        coordinator: PersistentStoreCoordinator, classes: ObjectClasses = ObjectClasses()
    ) {
        self.init(mainQueueOn: coordinator, classes: classes)
    }

    /// Creates a main-queue context whose objects come from another context and whose saves go to that
    /// context.
    ///
    /// Its fetches include the parent's unsaved changes. Saving the child passes its changes to the
    /// parent; they reach a store when the parent saves, or, in a chain of parents, when the last parent
    /// saves. New objects keep their temporary IDs until then, or until
    /// ``ManagedObjectContext/obtainPermanentIDs(for:)`` is called. The permanent IDs arrive with the
    /// next call or turn of the child. The child keeps the parent alive.
    @MainActor public convenience init(parent: ContextHandle) {
        let inbox = ContextInbox()
        self.init(
            source: ParentSource(parent, for: inbox), concurrencyType: .mainQueue,
            name: "main child", classes: parent.objectClasses, inbox: inbox)
        queue.ownerLock.bind(to: TurnOwner.runningThread)
    }

    /// Creates a main-queue context that uses a source.
    @MainActor convenience init(
        mainQueueOn source: any ObjectSource, classes: ObjectClasses = ObjectClasses()
    ) {
        self.init(source: source, concurrencyType: .mainQueue, name: "main", classes: classes)
        queue.ownerLock.bind(to: TurnOwner.runningThread)
    }

    /// The coordinator whose stores the context uses. For a context with a parent, this is the parent's
    /// coordinator. `nil` until the context is connected.
    ///
    /// Set this property once, before the context is used. It may be set outside the context's turns.
    /// Setting the coordinator that the context already has does nothing. A context cannot change its
    /// coordinator: after another coordinator or `nil` is set, every call that needs the model or a
    /// store throws `.connectedTwice`.
    public var persistentStoreCoordinator: PersistentStoreCoordinator? {
        get { origin.coordinator }
        set {
            guard newValue !== origin.coordinator else { return }
            connect(to: newValue, classes: objectClasses, "another coordinator was set")
        }
    }

    /// The context that this context's objects come from and that its saves go to. `nil` if objects come
    /// from stores, or if the context is not connected yet.
    ///
    /// Set this property once, before the context is used. It may be set outside the context's turns,
    /// and the parent may be connected later than its child. Setting the same parent again does nothing.
    /// After another parent or `nil` is set, or any parent for a context that has a coordinator, every
    /// call that needs the model or a store throws `.connectedTwice`.
    ///
    /// The parent, like any context, is used in its own turns; within a turn of the child, use
    /// ``performAndWait(_:)``. The child keeps its parent alive.
    public var parent: ManagedObjectContext? {
        get { parentHandle?.context }
        set {
            guard newValue !== parent else { return }
            let source = newValue.map { ParentSource(ContextHandle($0), for: remoteChanges.inbox) }
            guard source?.lineOfParents.contains(where: { $0 === self }) != true else {
                return refuse("the context itself was set as its own parent or ancestor")
            }
            connect(
                to: source, classes: newValue?.objectClasses ?? objectClasses,
                "another parent was set")
        }
    }

    /// The handle of the parent, or `nil` if the context has no parent.
    var parentHandle: ContextHandle? { (origin as? ParentSource)?.parent }

    private func connect(to source: (any ObjectSource)?, classes: ObjectClasses, _ detail: String) {
        guard let source, connection.connect(to: source, classes: classes) else {
            return refuse(detail)
        }
        source.feed?.add(remoteChanges.inbox)
        takeConnectionInSoon()
    }

    /// Records an error that each later call throws, because a setter cannot throw.
    private func refuse(_ detail: String) {
        connection.refuse(
            with: .connectedTwice(context: queue.ownerLock.name, detail: detail))
        takeConnectionInSoon()
    }

    private func takeConnectionInSoon() {
        remoteChanges.inbox.tellConnected()
        if queue.isCurrent { remoteChanges.readNewIDs() }
    }

    /// Uses the source and the classes of the current connection.
    func takeConnectionIn() {
        reading.takeConnectionIn()
        kinds.connect(to: source, classes: objectClasses)
    }

    // MARK: Query generations

    /// The state of its stores that the context reads. `nil` if the context always reads the newest
    /// state.
    public var queryGenerationToken: QueryGenerationToken? { reading.token }

    /// Pins the context to one state of its stores. Its fetches and faults read that state, whatever
    /// others save, until another state is set.
    ///
    /// If the context is pinned to ``QueryGenerationToken/current``, it advances to the newest state
    /// with each save, reset, merge and ``refreshAllObjects()``. If it is pinned to the token of another
    /// context, it stays at that state. In both cases, objects that have values keep them; see
    /// ``refreshAllObjects()``. A save always applies to the newest state, so changes that others made
    /// since the pinned state are conflicts.
    ///
    /// - Parameter token: The state to read. `nil` means that the context always reads the newest state.
    /// - Throws: `.queryGenerationUnsupported` for a child context, which reads from its parent, and for
    ///   stores of an engine that cannot keep a state; `.store`, `.wrongThread`.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws(GraphError) {
        try checkTurn("setQueryGeneration(from:)")
        try reading.pin(to: token)
    }

    // MARK: Turns

    /// Runs a closure in a turn of the context, and returns the closure's result when it is done.
    ///
    /// This method is for code that holds the context itself; other threads and tasks hold its
    /// ``handle``. It waits for the current turn. During a turn of the same context, the closure runs
    /// immediately, as a part of that turn. For a private-queue context, the closure runs on the calling
    /// thread; for a main-queue context, it runs on the main queue.
    ///
    /// - Throws: The error that `body` throws; `GraphError.waitCycle` and `GraphError.waitCancelled` as
    ///   in ``ContextHandle/performAndWait(_:)``.
    public func performAndWait<Result>(_ body: () throws -> Result) throws -> Result {
        if queue.isCurrent { return try body() }
        if queue.concurrencyType == .privateQueue {
            return try queue.runOwned { try inTurn { _ in try body() } }
        }
        return try queue.performAndWait {
            Swift.Result { try inTurn { _ in try body() } }
        }.get()
    }

    /// Runs a closure with the context in a turn, and returns the closure's result.
    ///
    /// This method is for code that holds the context itself; see
    /// ``ContextHandle/perform(isolation:_:)``. The closure takes the context as its parameter, because
    /// it may run on another thread: objects and contexts are not `Sendable`, so the compiler does not
    /// let the closure capture them.
    ///
    /// - Throws: The error that `body` throws, or `CancellationError` if the task was cancelled before
    ///   its turn.
    public func perform<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await handle.perform(isolation: isolation, body)
    }

    /// Schedules a turn in which a closure runs with the context, and returns immediately.
    ///
    /// See ``ContextHandle/perform(_:)``.
    public func perform(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
        handle.perform(body)
    }
}
