import CairnModel
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
        if isMainQueue, MainQueue.isCurrent { queue.ownerLock.bind(to: currentThreadNumber()) }
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
            let source = newValue.map { ParentSource(ContextHandle($0), for: inbox) }
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
        source.feed?.add(inbox)
        takeConnectionInSoon()
    }

    /// A setter cannot throw: the error is kept, and thrown by each later call.
    private func refuse(_ detail: String) {
        connection.refuse(with: .connectedTwice(context: queue.ownerLock.name, detail: detail))
        takeConnectionInSoon()
    }

    private func takeConnectionInSoon() {
        inbox.tellConnected()
        if queue.isCurrent { readNewIDs() }
    }

    /// Makes the connection that was set the context's source.
    func takeConnectionIn() {
        source = connection.source
        kinds.connect(to: source, classes: objectClasses)
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
