import CairnModel
import CairnStore
import Synchronization

/// A workspace: objects are fetched into it, changed in it, and saved from it.
///
/// Holds the objects that have changes; others live as long as somebody holds them. Not
/// `Sendable`: a main-queue context belongs to the main actor, and a private-queue one is reached
/// through its ``ContextHandle``.
public final class ManagedObjectContext {
    /// Who does a context's work.
    public enum ConcurrencyType: Sendable, Hashable {
        /// The main actor.
        case mainQueue
        /// One thread at a time, whichever asks.
        case privateQueue
    }

    /// For messages, and for the store's history.
    public var name: String?
    /// Who changes things; for the store's history.
    public var transactionAuthor: String?
    /// Whatever the program wants to keep with the context. The context does not use it.
    public var userInfo: [AnyHashable: Any] = [:]
    /// What becomes of a save that meets changes of others.
    public var mergePolicy: any MergePolicy = .error
    /// Told each time a save of others cannot be merged; see
    /// ``automaticallyMergesChangesFromParent``.
    public var mergeFailureHandler: ((GraphError) -> Void)?
    /// How old the row of a fault that is fired may be, in seconds: one that was read or known to be
    /// true longer ago is checked with its store first. Negative: as old as it likes.
    @exclusivity(unchecked) public var stalenessInterval: Double = -1
    /// Whether a fault whose row is gone becomes a deleted object with nil for every value, instead of
    /// an error for the caller that asks. Core Data's default is `true`.
    ///
    /// Such an object answers `true` to ``ManagedObject/isDeleted``. It is in no store, so it is no change
    /// that a save would write.
    public var shouldDeleteInaccessibleFaults = false
    /// Told each time a value cannot be had by an accessor that does not throw, also by an object that left
    /// the context, or that the context left behind when it went: then on the thread that uses the object.
    ///
    /// `nil`, the default, has each failure written to standard error, so that none is silent.
    public var faultFailureHandler: ((GraphError, ManagedObject) -> Void)? {
        get { kinds.failures.handler }
        set { kinds.failures.handler = newValue }
    }

    @usableFromInline let queue: ContextQueue
    let connection: ContextConnection
    /// What the context is connected to.
    var origin: any ObjectSource { connection.source }
    /// Where objects come from: the origin, or one state of it that the context is pinned to.
    /// Exclusivity is unchecked, as of what follows: one turn at a time uses the context.
    @exclusivity(unchecked) var source: any ObjectSource {
        didSet { holdsUnsavedObjects = source.holdsUnsavedObjects }
    }
    /// Whether objects with temporary IDs may come from there; asked for each object that is made.
    @exclusivity(unchecked) private(set) var holdsUnsavedObjects: Bool
    var objectClasses: ObjectClasses { connection.classes }
    /// What the context has to know of others and has not read yet.
    let inbox: ContextInbox
    /// The contexts that this one is the parent of.
    var children: ContextFeed { inbox.children }
    let kinds: ObjectKinds
    let identityMap = IdentityMap()
    private(set) lazy var tracker = ChangeTracker(self)
    /// What was changed in the current event.
    let journal = MutationJournal()
    /// Whether the current event goes on whoever asks for its end: during a save, and while it is
    /// being ended.
    var isHoldingEvent = false
    /// The save whose stores are written on another thread. `nil` if there is none.
    @exclusivity(unchecked) var backgroundSave: BackgroundSave?
    /// How many saves the context has made, to find out whether there was one meanwhile.
    var saveCount = 0
    /// Whether the end of the main queue's turn will end the event.
    var isEventEndScheduled = false
    /// What fetches of the current turn have prefetched. Objects do not hold each other, so an
    /// array of fetched objects does not hold what their relationships lead to.
    private(set) var prefetchedObjects: [ManagedObject] = []
    /// Objects whose delete rules are left to the save.
    var unpropagatedDeletions: [ManagedObject] = []
    /// Objects that were deleted before they were ever saved, until the event ends.
    var abandonedInsertions: [ManagedObject] = []
    /// What hooks delete while delete rules are applied, whose own rules come next; nil: none are.
    var deletionsByHooks: [ManagedObject]?
    /// What brings deleted objects back after their deletion is saved.
    var tombstones: [ObjectIdentifier: Tombstone] = [:]
    /// What objects were before conflicts of the current save were resolved.
    var mementos: [ObjectMemento] = []
    /// How conflicts of unique values were resolved in the current save.
    var upserts: [Upsert] = []
    /// The IDs that objects were inserted with that became stored ones: an undo of these insertions
    /// deletes nothing.
    var upsertedIDs: Set<ObjectID> = []
    /// See ``undoManager``.
    var recordedUndo: UndoManager?
    var observers: [WeakObserver] = []
    let streams = ContextStreams()
    /// Whether delete rules are applied at the end of each event, as Core Data has it; false: not
    /// before the save.
    public var propagatesDeletesAtEndOfEvent = true
    var mergesAutomatically = false
    /// Whether the pinned state is to be the newest again after each save and merge.
    var isFollowingGenerations = false
    /// Which state of its stores the context reads; nil: always the newest.
    public internal(set) var queryGenerationToken: QueryGenerationToken?
    /// The permanent ID of each object that may be asked for by its temporary one: until the next
    /// save; in a child, whose rows keep temporary IDs, until the context is reset.
    private(set) var replacedIDs = IDReplacements()
    /// The temporary IDs that predicates were made with: their replacements are kept for good.
    private var idsInPredicates: Set<ObjectID> = []
    /// What a save found of the object whose hook it calls. `nil` at any other time.
    var ruleFindings: RuleFindings?
    /// The store of each new object that was given one by hand.
    var assignments: [ObjectIdentifier: StoreNumber] = [:]
    /// The stores that were removed from the coordinator while the context was there.
    var removedStores: Set<StoreNumber> = []

    init(
        source: any ObjectSource, concurrencyType: ConcurrencyType, name: String? = nil,
        classes: ObjectClasses = ObjectClasses(), inbox: ContextInbox = ContextInbox()
    ) {
        connection = ContextConnection(source, classes: classes)
        self.source = source
        holdsUnsavedObjects = source.holdsUnsavedObjects
        self.inbox = inbox
        self.name = name
        queue = ContextQueue(
            concurrencyType, name: name ?? Self.nextName(), on: connection)
        kinds = ObjectKinds(
            source: source, classes: classes, ownerLock: queue.ownerLock)
        kinds.context = .passUnretained(self)
        source.feed?.add(inbox)
        if concurrencyType == .mainQueue {
            let undoManager = Self.makeDefaultUndoManager()
            recordedUndo = undoManager
            undoManager.add(self)
        }
    }

    /// Makes a main-queue context on a source.
    @MainActor package convenience init(
        mainQueueOn source: any ObjectSource, classes: ObjectClasses = ObjectClasses()
    ) {
        self.init(source: source, concurrencyType: .mainQueue, name: "main", classes: classes)
        queue.ownerLock.bind(to: currentThreadNumber())
    }

    deinit {
        if observesObjects { kinds.observation = nil }
        // Objects do not hold their context: those that are left must not ask for it.
        kinds.context = nil
        forgetUndo()
    }

    private static func nextName() -> String {
        enum Counter { static let value = Atomic<Int>(0) }
        return "context \(Counter.value.add(1, ordering: .relaxed).newValue)"
    }

    /// Who does the context's work.
    public var concurrencyType: ConcurrencyType { queue.concurrencyType }
    /// The context as other threads and tasks may hold it.
    public var handle: ContextHandle { ContextHandle(self) }
    /// The model of the context's objects.
    public var managedObjectModel: ManagedObjectModel { origin.layouts.model }

    var faults: FaultFirer { FaultFirer(self) }
    var relations: InverseMaintainer { InverseMaintainer(self) }

    // MARK: What has changes

    /// Whether a save would have anything to do.
    public var hasChanges: Bool { tracker.hasChanges }
    /// Objects that no store has yet.
    public var insertedObjects: Set<ManagedObject> { Set(tracker.inserted) }
    /// Stored objects with changes.
    public var updatedObjects: Set<ManagedObject> { Set(tracker.updated) }
    /// Stored objects that the next save deletes.
    public var deletedObjects: Set<ManagedObject> { Set(tracker.deleted) }
    /// Every object of the context that somebody holds.
    public var registeredObjects: Set<ManagedObject> { Set(identityMap.objects) }

    /// Throws where the calling thread is not in one of the context's turns.
    func checkTurn(_ call: String) throws(GraphError) {
        guard queue.isCurrent else {
            throw .wrongThread(context: queue.ownerLock.name, detail: "\(call) was called")
        }
        settle()
        readNews()
    }

    /// Stops the program where the calling thread is not in one of the context's turns: for calls
    /// that cannot throw.
    func requireTurn(_ call: String) {
        precondition(
            queue.isCurrent,
            "\(call) was called outside of the context “\(queue.ownerLock.name)”;"
                + " use its perform or performAndWait")
        settle()
    }

    /// Keeps objects that were prefetched until the turn ends.
    func holdUntilEndOfTurn(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        scheduleEndOfTurn()
        if prefetchedObjects.isEmpty {
            prefetchedObjects = objects
        } else {
            prefetchedObjects += objects
        }
    }

    func letGoOfPrefetchedObjects() { prefetchedObjects = [] }

    func report(_ error: GraphError, of object: ManagedObject) {
        kinds.failures.report(error, of: object)
    }

    /// Notes the new IDs of objects, wherever this context keeps IDs.
    func replaceIDs(_ replacements: IDReplacements) {
        guard !replacements.isEmpty else { return }
        for (old, new) in replacements {
            guard let object = identityMap[old] else { continue }
            identityMap.remove(old)
            if let present = identityMap[new], present !== object {
                replace(object, by: present)
                continue
            }
            object.objectID = new
            identityMap.insert(object, for: new)
        }
        // Mostly there were none: then this copies nothing.
        replacedIDs.merge(replacements)
        if source.holdsUnsavedObjects {
            // Objects without changes may lead to new ones too: the parent's.
            for object in identityMap.objects {
                object.overlay?.replaceIDs(replacements, of: object.kind)
            }
        } else if let neighbours = neighbours(of: replacements) {
            for object in neighbours { object.overlay?.replaceIDs(replacements, of: object.kind) }
        } else {
            for object in tracker.objects {
                object.overlay?.replaceIDs(replacements, of: object.kind)
            }
        }
    }

    /// The objects that few objects with other IDs lead to, and they themselves. `nil` if other objects
    /// may lead to them, or if they are many: then every object with changes is looked at.
    private func neighbours(of replacements: IDReplacements) -> [ManagedObject]? {
        guard replacements.count < tracker.objects.count / 8, !tracker.mayHaveOneSidedLinks else {
            return nil
        }
        let replaced = replacements.compactMap { identityMap[$0.new] }
        if replaced.contains(where: \.kind.isLedToOneWay) { return nil }
        return replaced.flatMap { [$0] + $0.knownNeighbours }
    }

    func forgetReplacedIDs() {
        var kept = IDReplacements()
        for id in idsInPredicates { kept[id] = replacedIDs[id] }
        replacedIDs = kept
    }

    /// Notes that a predicate, which may be used for as long as the program likes, has a temporary ID.
    func noteInPredicate(_ id: ObjectID) {
        if id.isTemporary { idsInPredicates.insert(id) }
    }
}
