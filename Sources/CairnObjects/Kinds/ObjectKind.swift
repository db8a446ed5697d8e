import CairnModel
import CairnRows
import CairnStack

/// The properties that all objects of one entity in one context share: the row layout, the class, and
/// the slots of properties.
@usableFromInline package final class ObjectKind {
    /// The context, without reference counting. `nil` after the context was deallocated: its `deinit`
    /// resets this property.
    @exclusivity(unchecked) var context: Uncounted<ManagedObjectContext>?
    /// Keeps ``turnOwner``, which is part of the lock, alive.
    private let ownerLock: OwnerLock
    /// The thread that is in a turn of the context. Every access to an object checks this.
    @usableFromInline let turnOwner: TurnOwner
    /// Reports values that cannot be read.
    let failures: FaultFailures
    @usableFromInline package let entity: Entity
    @usableFromInline package let number: EntityNumber
    @usableFromInline package let rootNumber: EntityNumber
    package let isAbstract: Bool
    @usableFromInline let layout: RowLayout
    /// The table that ``markedSlots`` reads.
    private let slotTable: FrozenTable<RowLayout.Slot>
    /// The slots of the class's marks.
    let markedSlots: MarkedSlots
    /// The slots that accessors may read from the row without notifying an observer: all or none.
    @exclusivity(unchecked) @usableFromInline private(set) var silentSlots: MarkedSlots
    /// The references that were prefetched from the kind's objects. Their bindings hold them. Empty before the first
    /// prefetch.
    @exclusivity(unchecked)
    private(set) var prefetchedReferences = PerSlot<RowSlot, Uncounted<ReferenceLookup>?>()
    package let objectClass: ManagedObject.Type
    /// The properties that the class marks.
    let marks: ClassMarks
    /// Records which properties are read, for objects that are created only for this purpose. Otherwise
    /// `nil`.
    var notes: KeyPathNotes?
    /// Is notified of reads and changes of the objects. `nil` if the objects are not observed.
    @exclusivity(unchecked) var observation: ObservedObjects? {
        didSet { silentSlots = observation == nil ? markedSlots : markedSlots.none }
    }
    /// The hooks of the class.
    let hooks: ClassHooks
    /// Whether a relationship without an inverse may lead to the objects, which do not know who refers to them.
    private(set) lazy var isDestinationWithoutInverse = entity.model.entities.contains { owner in
        owner.relationships.contains {
            $0.inverse == nil && $0.destination.hierarchyNumbers.contains(number)
        }
    }
    @exclusivity(unchecked) private var madeRules: EntityRules?
    @exclusivity(unchecked) private var madeProperties: KindProperties?

    init(
        _ entity: Entity, layout: RowLayout, objectClass: ManagedObject.Type, ownerLock: OwnerLock,
        failures: FaultFailures, marks: ClassMarks? = nil
    ) {
        self.entity = entity
        self.ownerLock = ownerLock
        self.failures = failures
        turnOwner = ownerLock.owner
        number = entity.number
        rootNumber = entity.rootEntity.number
        isAbstract = entity.isAbstract
        self.layout = layout
        let marks = marks ?? ClassMarks.of(objectClass)
        self.marks = marks
        slotTable = MarkedSlots.table(layout, marks.marks)
        markedSlots = MarkedSlots(slotTable)
        silentSlots = markedSlots
        self.objectClass = objectClass
        hooks = ClassHooks(of: objectClass)
    }

    /// Makes typed reads of a reference look in the objects that were prefetched.
    func notePrefetched(_ reference: ReferenceLookup, at slot: RowSlot) {
        if prefetchedReferences.isEmpty {
            prefetchedReferences = PerSlot(repeating: nil, count: layout.slots.count)
        }
        prefetchedReferences[slot] = Uncounted(reference)
    }

    /// Returns a kind of objects of the same class that record which properties are read.
    @usableFromInline package func noting(_ notes: KeyPathNotes) -> ObjectKind {
        let kind = ObjectKind(
            entity, layout: layout, objectClass: objectClass, ownerLock: ownerLock,
            failures: FaultFailures())
        kind.notes = notes
        kind.failures.handler = { _, _ in }
        return kind
    }

    /// The rules that values must satisfy to be saved. Created when the first object is validated.
    var rules: EntityRules {
        if let madeRules { return madeRules }
        let made = EntityRules(self)
        madeRules = made
        return made
    }

    // MARK: Properties

    /// Created when they are first needed. A context that only counts, or only reads values from
    /// rows, does not need them, and some contexts are created for a single fetch.
    ///
    /// Always inlined and read from the property, because a result of a call is retained, and each use of a
    /// list then counts references twice. Saving an object uses about ten lists.
    @inline(__always) private var properties: KindProperties {
        if madeProperties == nil { makeProperties() }
        return madeProperties.unsafelyUnwrapped
    }

    @inline(never) private func makeProperties() {
        let made = KindProperties(of: entity, layout, marks, objectClass)
        madeProperties = made
        hasInitialValues = !made.initialValues.isEmpty
    }

    /// Returns the binding of the property with a name.
    ///
    /// - Throws: `.unknownProperty` with the most similar name.
    @usableFromInline package func binding(_ name: String) throws(GraphError) -> PropertyBinding {
        if let binding = properties.bindings[name] { return binding }
        throw .unknownProperty(
            entity: entity.name, name: name,
            nearest: NearestName.of(name, among: properties.bindings.keys.sorted()))
    }

    /// Returns the property of a mark, or `nil` if there is no such property.
    func markedProperty(at mark: _Property.Mark) -> PropertyBinding? {
        mark.element(in: properties.marked)
    }

    /// The relationships, in the order of the entity's properties.
    var relationships: [RelationshipBinding] { properties.relationships }
    /// The row slots of to-one relationships.
    var toOneSlots: [RowSlot] { properties.toOneSlots }
    /// The object slots of transient to-one relationships.
    var toOneExtras: [ObjectSlot] { properties.toOneExtras }
    /// The object slots of transient attributes.
    var transientAttributes: [ObjectSlot] { properties.transientAttributes }
    /// The value of each row slot of a new object.
    var defaults: PerSlot<RowSlot, Value> { properties.defaults }
    /// The initial values that are evaluated for each object, of attributes that rows hold and of others.
    var initialValues: [InitialValue] { properties.initialValues }
    /// Whether there are such values. Known as soon as an object has an overlay. Every new object asks.
    @exclusivity(unchecked) private(set) var hasInitialValues = false
    /// A number of the module SwiftData, whose accessors need it for each read.
    @exclusivity(unchecked) @usableFromInline package var trackingOffset: Int32 = 0
    /// The initial value of each slot that exists only in objects. Empty if no such slot has a value.
    var emptyExtras: PerSlot<ObjectSlot, Value> { properties.emptyExtras }
    /// The members of a new object, which are empty, for each slot that exists only in objects. Empty if
    /// there are no to-many relationships.
    var newMembers: PerSlot<ObjectSlot, MemberIDs> { properties.newMembers }
    /// The members of a stored object, which are unknown, for each slot that exists only in objects.
    var unknownMembers: PerSlot<ObjectSlot, MemberIDs> { properties.unknownMembers }
    /// Whether all values of objects are contained in rows. Objects without changes then need no
    /// overlay.
    var isOnlyRow: Bool { properties.isOnlyRow }
    /// Packs the rows of new objects. `nil` if they are packed in the general way.
    var valuePacking: ValuePacking? { properties.valuePacking }
}
