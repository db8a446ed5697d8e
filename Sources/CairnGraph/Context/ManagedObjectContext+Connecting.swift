import CairnModel
import CairnStore
import CairnThreads

extension ManagedObjectContext {
    /// Creates a context without a coordinator, to be connected by setting
    /// ``persistentStoreCoordinator`` or ``parent``.
    ///
    /// Until then everything that needs a model or a store throws `.notConnected`. A main-queue context
    /// may be created on any thread; use it on the main queue. Use a private-queue context within
    /// ``performAndWait(_:)`` or through its ``handle``.
    ///
    /// - Parameters:
    ///   - concurrencyType: which thread does the context's work.
    ///   - classes: the Swift classes of the model's entities. A context with a parent uses those of
    ///     the parent instead.
    public convenience init(
        concurrencyType: ConcurrencyType, classes: ObjectClasses = ObjectClasses()
    ) {
        let isMainQueue = concurrencyType == .mainQueue
        self.init(
            source: RefusingSource(), concurrencyType: concurrencyType,
            name: isMainQueue ? "main" : nil, classes: classes)
        if isMainQueue, MainQueue.isCurrent { queue.ownerLock.bind(to: TurnOwner.runningThread) }
    }

    /// Makes a main-queue context on a coordinator.
    ///
    /// - Parameter classes: the Swift classes of the model's entities.
    @MainActor public convenience init(
        coordinator: PersistentStoreCoordinator, classes: ObjectClasses = ObjectClasses()
    ) {
        self.init(mainQueueOn: coordinator, classes: classes)
    }

    /// Makes a main-queue context whose objects come from another context, and whose saves go there.
    ///
    /// Its fetches see what the parent has not saved, and its save makes its changes the parent's:
    /// they are in no store before the parent saves, or the last one of a line of parents. New
    /// objects keep their temporary IDs until then, or until
    /// ``ManagedObjectContext/obtainPermanentIDs(for:)``; permanent ones arrive with the next call
    /// or turn of the child. The parent lives as long as the child.
    @MainActor public convenience init(parent: ContextHandle) {
        let inbox = ContextInbox()
        self.init(
            source: ParentSource(parent, for: inbox), concurrencyType: .mainQueue,
            name: "main child", classes: parent.objectClasses, inbox: inbox)
        queue.ownerLock.bind(to: TurnOwner.runningThread)
    }

    /// Makes a main-queue context on a source.
    @MainActor package convenience init(
        mainQueueOn source: any ObjectSource, classes: ObjectClasses = ObjectClasses()
    ) {
        self.init(source: source, concurrencyType: .mainQueue, name: "main", classes: classes)
        queue.ownerLock.bind(to: TurnOwner.runningThread)
    }

    /// The coordinator whose stores the context works on. For a context with a parent, the parent's
    /// coordinator. `nil` until the context is connected.
    ///
    /// Set it once, before the context is used; also outside of the context's turns. Setting the
    /// coordinator that the context has already does nothing. A context cannot change its coordinator:
    /// after another one is set, or `nil`, every call that needs the model or a store throws
    /// `.connectedTwice`.
    public var persistentStoreCoordinator: PersistentStoreCoordinator? {
        get { origin.coordinator }
        set {
            guard newValue !== origin.coordinator else { return }
            connect(to: newValue, classes: objectClasses, "another coordinator was set")
        }
    }

    /// The context that this one's objects come from, and that its saves go to. `nil` if objects come
    /// from stores, or if the context is not connected yet.
    ///
    /// Set it once, before the context is used; also outside of the context's turns. The parent may be
    /// connected later than its child. Setting the same parent again does nothing. After another parent
    /// or `nil` is set, or a parent for a context that has a coordinator, every call that needs the model
    /// or a store throws `.connectedTwice`.
    ///
    /// The parent is used in turns of its own, like any context; within a turn of the child, use
    /// ``performAndWait(_:)``. The child keeps its parent alive.
    public var parent: ManagedObjectContext? {
        get { parentHandle?.context }
        set {
            guard newValue !== parent else { return }
            let source = newValue.map { ParentSource(ContextHandle($0), for: remoteChanges.inbox) }
            guard source?.lineOfParents.contains(where: { $0 === self }) != true else {
                return refuse("the context itself was set as its parent, or as a parent's parent")
            }
            connect(
                to: source, classes: newValue?.objectClasses ?? objectClasses,
                "another parent was set")
        }
    }

    /// The parent as a child holds it.
    var parentHandle: ContextHandle? { (origin as? ParentSource)?.parent }

    private func connect(
        to source: (any ObjectSource)?, classes: ObjectClasses, _ detail: String
    ) {
        guard let source, connection.connect(to: source, classes: classes) else {
            return refuse(detail)
        }
        source.feed?.add(remoteChanges.inbox)
        takeConnectionInSoon()
    }

    /// A setter cannot throw: the error is kept, and thrown by each later call.
    private func refuse(_ detail: String) {
        connection.refuse(
            with: .connectedTwice(context: queue.ownerLock.name, detail: detail))
        takeConnectionInSoon()
    }

    private func takeConnectionInSoon() {
        remoteChanges.inbox.tellConnected()
        if queue.isCurrent { remoteChanges.readNewIDs() }
    }

    /// Makes the connection that was set the context's source.
    func takeConnectionIn() {
        reading.takeConnectionIn()
        kinds.connect(to: source, classes: objectClasses)
    }

    // MARK: Query generations

    /// Which state of its stores the context reads. `nil` if it always reads the newest.
    public var queryGenerationToken: QueryGenerationToken? { reading.token }

    /// Pins the context to one state of its stores: whatever others save, its fetches and faults
    /// read that state, until it is told otherwise.
    ///
    /// Pinned to ``QueryGenerationToken/current``, the context goes on to the newest state with each
    /// save, reset, merge and ``refreshAllObjects()``; pinned to the token of another context it
    /// stays there. Objects with values keep them either way; see ``refreshAllObjects()``. A save is
    /// made on the newest state, so what others changed is a conflict.
    ///
    /// - Parameter token: the state to read. `nil` stands for the newest state at any time.
    /// - Throws: `.queryGenerationUnsupported` for a child context, which reads its parent, and for
    ///   stores of an engine that cannot keep a state; `.store`, `.wrongThread`.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws(GraphError) {
        try checkTurn("setQueryGeneration(from:)")
        try reading.pin(to: token)
    }

    /// Pins the context to one state of its stores. The same as ``setQueryGeneration(from:)``, by Core
    /// Data's name.
    ///
    /// - Throws: as there.
    public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws(GraphError) {
        try setQueryGeneration(from: token)
    }

    // MARK: Turns

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

extension ManagedObjectContext.ConcurrencyType {
    /// The same as ``mainQueue``, by Core Data's name.
    public static let mainQueueConcurrencyType = Self.mainQueue
    /// The same as ``privateQueue``, by Core Data's name.
    public static let privateQueueConcurrencyType = Self.privateQueue
}

/// Core Data's name of ``ManagedObjectContext/ConcurrencyType``.
public typealias ManagedObjectContextConcurrencyType = ManagedObjectContext.ConcurrencyType
