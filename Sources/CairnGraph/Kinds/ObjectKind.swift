import CairnModel
import CairnStore
import Synchronization

/// What all objects of one entity in one context share: layout, class, and names made slots.
@usableFromInline final class ObjectKind {
    /// The context; nil: it went. Not counted: a context that goes clears it.
    @exclusivity(unchecked) var context: Unmanaged<ManagedObjectContext>?
    /// Held for ``turnOwner``, which is in it.
    private let ownerLock: OwnerLock
    /// The thread in whose turn the context is: every access to an object asks.
    @usableFromInline let turnOwner: UnsafeMutablePointer<Atomic<UInt>>
    /// Told of values that cannot be had.
    let failures: FaultFailures
    let entity: Entity
    @usableFromInline let number: EntityNumber
    @usableFromInline let rootNumber: EntityNumber
    let isAbstract: Bool
    @usableFromInline let layout: RowLayout
    /// The slots of the class's accessors.
    @usableFromInline let slots: ClassSlots
    /// Those that accessors may read from the row without telling an observer: all, or none.
    @exclusivity(unchecked) @usableFromInline private(set) var silentSlots: ClassSlots
    let objectClass: ManagedObject.Type
    /// Who is told of reads and changes; nil: nobody.
    @exclusivity(unchecked) var observation: ObservedObjects? {
        didSet { silentSlots = observation == nil ? slots : slots.none }
    }
    /// Whether the class has a check of values of its own.
    let checksValues: Bool
    /// Whether the class has one of the four hooks of validation.
    let validates: Bool
    /// Whether the class has a `willSave` of its own.
    let preparesSave: Bool
    /// Whether a relationship without an inverse may lead to objects of the kind, which do not know then
    /// what leads to them.
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
        slots = ClassSlots(layout, named: objectClass.slotNames)
        silentSlots = slots
        self.objectClass = objectClass
        checksValues = OverriddenHooks.checksValues(objectClass)
        validates = OverriddenHooks.validates(objectClass)
        preparesSave = OverriddenHooks.preparesSave(objectClass)
    }

    deinit { slots.deallocate() }

    /// What a value must be to be saved; made when the first object is validated.
    var rules: EntityRules {
        if let madeRules { return madeRules }
        let made = EntityRules(self)
        madeRules = made
        return made
    }

    // MARK: Properties

    /// Made when they are first asked for: a context that counts, or reads what accessors read by
    /// slot, needs none of it, and contexts are made for a single fetch.
    private var properties: KindProperties {
        if let madeProperties { return madeProperties }
        let made = KindProperties(of: entity, layout)
        madeProperties = made
        return made
    }

    /// Returns how to reach the property of that name.
    ///
    /// - Throws: `.unknownProperty`, with the most similar name.
    func binding(_ name: String) throws(GraphError) -> PropertyBinding {
        if let binding = properties.bindings[name] { return binding }
        throw .unknownProperty(
            entity: entity.name, name: name,
            nearest: NearestName.of(name, among: properties.bindings.keys.sorted()))
    }

    /// In the order of the entity's properties.
    var relationships: [RelationshipBinding] { properties.relationships }
    /// The to-one of a row slot; nil for an attribute's.
    func toOne(at slot: RowSlot) -> RelationshipBinding? { properties.toOnesBySlot[slot] }
    /// The row slots of to-ones.
    var toOneSlots: [RowSlot] { properties.toOneSlots }
    /// The object slots of transient to-ones.
    var toOneExtras: [ObjectSlot] { properties.toOneExtras }
    /// The object slots of transient attributes.
    var transientAttributes: [ObjectSlot] { properties.transientAttributes }
    /// The value of each row slot of a new object.
    var defaults: PerSlot<RowSlot, Value> { properties.defaults }
    /// What each slot that only objects have begins with; empty where none has a value.
    var emptyExtras: PerSlot<ObjectSlot, Value> { properties.emptyExtras }
    /// The members of each slot that only objects have, of an object that no store has: none. Empty
    /// where there is no to-many.
    var newMembers: PerSlot<ObjectSlot, Members> { properties.newMembers }
    /// The same of other objects: unknown ones.
    var unknownMembers: PerSlot<ObjectSlot, Members> { properties.unknownMembers }
    /// Whether objects have nothing but what rows hold: then those without changes need no overlay.
    var isOnlyRow: Bool { properties.isOnlyRow }
    /// Packs rows of new objects; nil: they take the general way.
    var valuePacking: ValuePacking? { properties.valuePacking }
}
