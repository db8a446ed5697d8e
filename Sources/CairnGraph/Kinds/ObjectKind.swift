import CairnModel
import CairnStore

/// What all objects of one entity in one context share: the row layout, the class, and the slots of
/// names.
@usableFromInline final class ObjectKind {
    /// The context, or `nil` after it was deallocated: it sets this to `nil` in its `deinit`. Counts no
    /// reference.
    @exclusivity(unchecked) var context: Uncounted<ManagedObjectContext>?
    /// Keeps ``turnOwner`` alive, which is part of it.
    private let ownerLock: OwnerLock
    /// The thread that is in a turn of the context. Every access to an object checks this.
    @usableFromInline let turnOwner: TurnOwner
    /// Reports values that cannot be read.
    let failures: FaultFailures
    let entity: Entity
    @usableFromInline let number: EntityNumber
    @usableFromInline let rootNumber: EntityNumber
    let isAbstract: Bool
    @usableFromInline let layout: RowLayout
    /// What ``slots`` reads.
    private let slotTable: FrozenTable<RowLayout.Slot>
    /// The slots of the class's accessors.
    @usableFromInline let slots: ClassSlots
    /// The slots that accessors may read from the row without telling an observer: all or none of them.
    @exclusivity(unchecked) @usableFromInline private(set) var silentSlots: ClassSlots
    let objectClass: ManagedObject.Type
    /// The properties that the class marks.
    let marks: ClassMarks
    /// Notes which properties are read, in a kind of objects that are made for that only.
    var notes: KeyPathNotes?
    /// What is told of reads and changes of the objects. `nil` if nothing observes them.
    @exclusivity(unchecked) var observation: ObservedObjects? {
        didSet { silentSlots = observation == nil ? slots : slots.none }
    }
    /// The hooks that the class has.
    let hooks: ClassHooks
    /// Whether a relationship without an inverse may lead to objects of the kind. Such an object does
    /// not know what leads to it.
    private(set) lazy var isLedToOneWay = entity.model.entities.contains { owner in
        owner.relationships.contains {
            $0.inverse == nil && $0.destination.hierarchyNumbers.contains(number)
        }
    }
    @exclusivity(unchecked) private var madeRules: EntityRules?
    @exclusivity(unchecked) private var madeProperties: KindProperties?

    init(
        _ entity: Entity, layout: RowLayout, objectClass: ManagedObject.Type, ownerLock: OwnerLock,
        failures: FaultFailures
    ) {
        self.entity = entity
        self.ownerLock = ownerLock
        self.failures = failures
        turnOwner = ownerLock.owner
        number = entity.number
        rootNumber = entity.rootEntity.number
        isAbstract = entity.isAbstract
        self.layout = layout
        marks = ClassMarks.of(objectClass)
        slotTable = ClassSlots.table(layout, named: objectClass.slotNames, marks.marks)
        slots = ClassSlots(slotTable)
        silentSlots = slots
        self.objectClass = objectClass
        hooks = ClassHooks(of: objectClass)
    }

    /// Returns a kind of objects of the same class that note which properties are read.
    func noting(_ notes: KeyPathNotes) -> ObjectKind {
        let kind = ObjectKind(
            entity, layout: layout, objectClass: objectClass, ownerLock: ownerLock,
            failures: FaultFailures())
        kind.notes = notes
        kind.failures.handler = { _, _ in }
        return kind
    }

    /// The rules that values must follow to be saved. Created when the first object is validated.
    var rules: EntityRules {
        if let madeRules { return madeRules }
        let made = EntityRules(self)
        madeRules = made
        return made
    }

    // MARK: Properties

    /// Created when they are first needed. A context that only counts, or only reads values by slot,
    /// needs none of them, and some contexts are created for a single fetch.
    private var properties: KindProperties {
        if let madeProperties { return madeProperties }
        let made = KindProperties(of: entity, layout, marks)
        madeProperties = made
        return made
    }

    /// Returns how to reach the property with a name.
    ///
    /// - Throws: `.unknownProperty`, with the most similar name.
    func binding(_ name: String) throws(GraphError) -> PropertyBinding {
        if let binding = properties.bindings[name] { return binding }
        throw .unknownProperty(
            entity: entity.name, name: name,
            nearest: NearestName.of(name, among: properties.bindings.keys.sorted()))
    }

    /// Returns the property that the class marks at a slot, or `nil` if it marks none there.
    func markedProperty(at slot: ClassSlot) -> PropertyBinding? {
        slot.element(in: properties.marked)
    }

    /// The relationships, in the order of the entity's properties.
    var relationships: [RelationshipBinding] { properties.relationships }
    /// Returns the to-one relationship of a row slot, or `nil` if the slot is an attribute's.
    func toOne(at slot: RowSlot) -> RelationshipBinding? { properties.toOnesBySlot[slot] }
    /// The row slots of to-ones.
    var toOneSlots: [RowSlot] { properties.toOneSlots }
    /// The object slots of transient to-ones.
    var toOneExtras: [ObjectSlot] { properties.toOneExtras }
    /// The object slots of transient attributes.
    var transientAttributes: [ObjectSlot] { properties.transientAttributes }
    /// The value of each row slot of a new object.
    var defaults: PerSlot<RowSlot, Value> { properties.defaults }
    /// The initial value of each slot that only objects have. Empty if no such slot has a value.
    var emptyExtras: PerSlot<ObjectSlot, Value> { properties.emptyExtras }
    /// For each slot that only objects have, the members of a new object, which has no members. Empty
    /// if there is no to-many relationship.
    var newMembers: PerSlot<ObjectSlot, MemberIDs> { properties.newMembers }
    /// For each slot that only objects have, the members in a stored object: unknown ones.
    var unknownMembers: PerSlot<ObjectSlot, MemberIDs> { properties.unknownMembers }
    /// Whether objects have only values that rows hold. Objects without changes then need no overlay.
    var isOnlyRow: Bool { properties.isOnlyRow }
    /// Packs the rows of new objects. `nil` if they are packed in the general way.
    var valuePacking: ValuePacking? { properties.valuePacking }
}
