import CairnModel
import CairnRows
import CairnStack
import Foundation
import Synchronization

/// A workspace in which objects are fetched, changed and saved.
///
/// A context holds the objects that have changes. Other objects exist for as long as they are held
/// elsewhere. A context is not `Sendable`: a main-queue context belongs to the main actor, and a
/// private-queue context is used through its ``ContextHandle``.
public final class ManagedObjectContext {
    /// The kind of thread that does a context's work.
    public enum ConcurrencyType: Sendable, Hashable {
        /// The main actor. The context can be used without `perform` there.
        case mainQueue
        /// One thread at a time, which may be any thread.
        case privateQueue
    }

    /// The name of the context, for messages and for the store's history.
    public var name: String?
    /// Arbitrary values that the program associates with the context. The context does not use them.
    public var userInfo: [AnyHashable: Any] = [:]

    @usableFromInline let queue: ContextQueue
    package let kinds: ObjectKinds
    let identityMap = IdentityMap()
    /// The connection to the context's source. A constant property, because children read it on any
    /// thread.
    let connection: ContextConnection
    // Exclusivity checking is disabled: only one turn at a time uses the context.
    @exclusivity(unchecked) var reading: ContextReading
    @exclusivity(unchecked) private(set) var faultPolicy = FaultPolicy()
    let replacedIDs = ReplacedIDs()
    let tracker = ChangeTracker()
    let events = ContextEvents()
    let savingState = SavingState()
    let remoteChanges: RemoteChanges
    let undoing = ContextUndo()
    package let observers = ContextObservers()
    /// Whether an upserted object gives the stored one also its initial values.
    package var upsertsInitialValues = false

    /// - Parameter isConfined: Whether any thread may use a private-queue context without a turn. The caller lets one
    ///   thread at a time use it.
    package init(
        source: any ObjectSource, concurrencyType: ConcurrencyType, name: String? = nil,
        classes: ObjectClasses = ObjectClasses(), inbox: ContextInbox = ContextInbox(),
        isConfined: Bool = false
    ) {
        connection = ContextConnection(source, classes: classes)
        reading = ContextReading(connection)
        remoteChanges = RemoteChanges(inbox)
        self.name = name
        queue = ContextQueue(
            concurrencyType, name: name ?? Self.nextName(), on: connection, isConfined: isConfined)
        kinds = ObjectKinds(
            source: source, classes: classes, ownerLock: queue.ownerLock)
        kinds.context = Uncounted(self)
        let parts: [ContextPart] = [
            replacedIDs, tracker, events, events.deletions, remoteChanges, undoing, observers,
        ]
        for part in parts { part.attach(to: self) }
        source.feed?.add(inbox)
        if concurrencyType == .mainQueue { undoing.setDefaultManager() }
    }

    deinit {
        if observesObjects { kinds.observation = nil }
        // Objects do not hold their context. Objects that still exist must not access it any more.
        kinds.context = nil
        undoing.forgetActions(of: self)
    }

    private static func nextName() -> String {
        enum Counter { static let value = Atomic<Int>(0) }
        return "context \(Counter.value.add(1, ordering: .relaxed).newValue)"
    }

    /// The kind of thread that does the context's work.
    public var concurrencyType: ConcurrencyType { queue.concurrencyType }
    /// A reference to the context that can be passed to other threads and tasks.
    public var handle: ContextHandle { ContextHandle(self) }
    /// The model of the coordinator or parent that the context is connected to.
    public var managedObjectModel: ManagedObjectModel { origin.layouts.model }

    /// The source that the context is connected to.
    var origin: any ObjectSource { connection.source }
    /// The source of objects: the origin, or the state of the origin to which the context is pinned.
    package var source: any ObjectSource { reading.source }
    package var objectClasses: ObjectClasses { connection.classes }
    /// The contexts whose parent is this context.
    var children: ContextFeed { remoteChanges.inbox.children }
    var faults: FaultFirer { FaultFirer(self) }
    var relations: InverseMaintainer { InverseMaintainer(self) }

    // MARK: Settings

    /// The author of the context's changes, for the store's history.
    public var transactionAuthor: String? {
        get { savingState.author }
        set { savingState.author = newValue }
    }
    /// Whether saves check the model's rules. A migration checks them when all objects are complete.
    package var validatesSaves: Bool {
        get { savingState.validates }
        set { savingState.validates = newValue }
    }
    /// The policy for saves of objects that others have changed. The default is ``MergePolicy/error``.
    public var mergePolicy: any MergePolicy {
        get { savingState.mergePolicy }
        set { savingState.mergePolicy = newValue }
    }
    /// A function that is called each time the changes of another context or process cannot be merged.
    /// See ``automaticallyMergesChangesFromParent``.
    public var mergeFailureHandler: ((GraphError) -> Void)? {
        get { remoteChanges.failureHandler }
        set { remoteChanges.failureHandler = newValue }
    }
    /// How old a cached row may be, in seconds, when a fault is fired with it. An older row is first
    /// checked against its store. A negative value, the default, means that cached rows never expire.
    public var stalenessInterval: Double {
        get { faultPolicy.stalenessInterval }
        set { faultPolicy.stalenessInterval = newValue }
    }
    /// Whether a fault whose row no longer exists becomes a deleted object whose values are all `nil`.
    /// Otherwise, reading the fault is an error. The default is `false`; Core Data's default is `true`.
    ///
    /// The ``ManagedObject/isDeleted`` of such an object is `true`. No store contains the object, so it
    /// does not count as a change to be saved.
    public var shouldDeleteInaccessibleFaults: Bool {
        get { faultPolicy.deletesInaccessibleFaults }
        set { faultPolicy.deletesInaccessibleFaults = newValue }
    }
    /// A function that is called each time an accessor that does not throw cannot read a value. This
    /// includes accessors of objects that no longer belong to the context, even after the context was
    /// deallocated. The function is then called on the thread that uses the object.
    ///
    /// If this is `nil`, which is the default, each failure is logged as an error. See ``Monitoring``.
    public var faultFailureHandler: ((GraphError, ManagedObject) -> Void)? {
        get { kinds.failures.handler }
        set { kinds.failures.handler = newValue }
    }
    /// Whether delete rules are applied at the end of each event, as in Core Data. Otherwise, they are
    /// applied by the save.
    public var propagatesDeletesAtEndOfEvent: Bool {
        get { events.deletions.arePropagatedWithEvents }
        set { events.deletions.arePropagatedWithEvents = newValue }
    }
    /// Whether the context holds all of its objects, instead of only those with changes.
    ///
    /// - Precondition: To set this property, the calling thread must be in a turn of the context.
    public var retainsRegisteredObjects: Bool {
        get { identityMap.retainsObjects }
        set {
            requireTurn("retainsRegisteredObjects")
            identityMap.retainsObjects = newValue
        }
    }

    // MARK: Objects and changes

    /// Whether a save would have something to do. Objects that were deleted before they were ever saved do
    /// not count.
    public var hasChanges: Bool { tracker.hasChanges }
    /// New objects that are not in a store yet.
    public var insertedObjects: Set<ManagedObject> { Set(tracker.inserted) }
    /// Stored objects that have changes.
    public var updatedObjects: Set<ManagedObject> { Set(tracker.updated) }
    /// Stored objects that the next save deletes.
    public var deletedObjects: Set<ManagedObject> { Set(tracker.deleted) }
    /// All objects of the context that the context or other code holds.
    public var registeredObjects: Set<ManagedObject> { Set(identityMap.objects) }

    // MARK: Turns

    /// Throws if the calling thread is not in one of the context's turns.
    package func checkTurn(_ call: String) throws(GraphError) {
        guard queue.isCurrent else {
            throw .wrongThread(context: queue.ownerLock.name, detail: "\(call) was called")
        }
        settle()
        remoteChanges.read()
    }

    /// Stops the program if the calling thread is not in one of the context's turns. Used by calls that
    /// cannot throw.
    func requireTurn(_ call: String) {
        precondition(
            queue.isCurrent,
            "\(call) was called outside a turn of the context “\(queue.ownerLock.name)”;"
                + " use the context's perform or performAndWait")
        settle()
    }

    /// Finishes the current background save, if there is one, before the context is changed or read
    /// from its source. Blocks the thread until the stores have saved.
    @inline(__always) func settle() {
        if let save = savingState.background { save.settle() }
    }

    /// Runs a closure, and then ends the event of the turn.
    ///
    /// - Parameter isOfChild: Whether a child context needs the turn, and not the program.
    func inTurn<Result>(
        isOfChild: Bool = false, _ body: (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        remoteChanges.read()
        var hasThrown = false
        defer {
            if !hasThrown, !tracker.objects.isEmpty, !isOfChild {
                savingState.noteEndOfTurn(of: self)
            }
            if events.hasWorkAtEndOfTurn || undoing.manager != nil { events.endTurn() }
        }
        // Without a variable for the result, whose size only the caller knows: an empty turn would take 4 ns
        // of 41 longer.
        do {
            return try body(self)
        } catch {
            hasThrown = true
            throw error
        }
    }

    func report(_ error: GraphError, of object: ManagedObject) {
        kinds.failures.report(error, of: object)
    }
}

/// A part of a context. It refers to the context without reference counting.
///
/// The context owns its parts and nothing else holds them, so the context outlives them. A strong
/// reference would be a cycle, and a weak one would cost as much as the work that the parts do for each
/// change.
package class ContextPart {
    // Exclusivity checking is disabled: the property is set once, before the part is used.
    @exclusivity(unchecked) private final var owner: Uncounted<ManagedObjectContext>?

    /// The context that owns the part.
    ///
    /// - Precondition: The part is attached.
    final var context: ManagedObjectContext { owner!.object }

    /// Sets the context that owns the part.
    final func attach(to context: ManagedObjectContext) { owner = Uncounted(context) }
}
