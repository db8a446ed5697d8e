import CairnModel
import CairnStore
import Synchronization

/// What all objects of one entity in one context share: layout, class, and names made slots.
@usableFromInline final class ObjectKind {
    /// The context; nil: it went. Not counted: a context that goes clears it.
    @exclusivity(unchecked) var context: Unmanaged<ManagedObjectContext>?
    private let ownerLock: OwnerLock
    /// The thread in whose turn the context is, which the lock keeps: every access to an object asks.
    @usableFromInline let turnOwner: UnsafeMutablePointer<Atomic<UInt>>
    let entity: Entity
    @usableFromInline let number: EntityNumber
    @usableFromInline let rootNumber: EntityNumber
    let isAbstract: Bool
    @usableFromInline let layout: RowLayout
    /// The row slots as the class numbers them: first those that it names, then the others. Without
    /// names, the layout's own.
    @usableFromInline let slots: [RowLayout.Slot]
    /// The same once more: accessors read them without counting references.
    @usableFromInline let slotTable: UnsafePointer<RowLayout.Slot>
    /// How many of them accessors may read from the row and tell nobody: all, or none.
    @exclusivity(unchecked) @usableFromInline private(set) var silentSlotCount: Int
    let objectClass: ManagedObject.Type
    /// Who is told of reads and changes; nil: nobody.
    @exclusivity(unchecked) var observation: ObservedObjects? {
        didSet { silentSlotCount = observation == nil ? slots.count : 0 }
    }
    /// Whether the class has a check of values of its own.
    let checksValues: Bool
    @exclusivity(unchecked) private var madeRules: EntityRules?

    // What follows is made when it is first asked for. A context that counts, or reads what
    // accessors read by slot, needs none of it; and contexts are made for a single fetch.

    /// In the order of the entity's properties.
    private lazy var properties = entity.properties.map { ($0.name, PropertyBinding($0)) }
    private lazy var bindings = Dictionary(properties, uniquingKeysWith: { $1 })
    /// In the order of the entity's properties.
    private(set) lazy var relationships = properties.compactMap { _, binding in
        if case .relationship(let relationship) = binding { relationship } else { nil }
    }
    /// The value of each row slot of a new object.
    private(set) lazy var defaults = Self.defaults(of: layout)
    /// What each slot that only objects have begins with.
    private(set) lazy var emptyExtras = Self.extras(of: entity, members: Members())
    /// The same of an object that no store has: its to-manys are known to have no members.
    private(set) lazy var newExtras = Self.extras(of: entity, members: .none)
    /// The row slots of to-ones.
    private(set) lazy var toOneSlots = relationships.filter { !$0.isToMany }
        .compactMap(\.storage.rowSlot)
    /// The object slots of transient to-ones.
    private(set) lazy var toOneExtras = relationships.filter { !$0.isToMany }
        .compactMap(\.storage.objectSlot)

    init(
        _ entity: Entity, layout: RowLayout, objectClass: ManagedObject.Type, ownerLock: OwnerLock
    ) {
        self.entity = entity
        self.ownerLock = ownerLock
        turnOwner = ownerLock.owner
        number = entity.number
        rootNumber = entity.rootEntity.number
        isAbstract = entity.isAbstract
        self.layout = layout
        slots = Self.slots(of: layout, named: objectClass.slotNames)
        silentSlotCount = slots.count
        let table = UnsafeMutablePointer<RowLayout.Slot>.allocate(capacity: slots.count)
        for (index, slot) in slots.enumerated() { (table + index).initialize(to: slot) }
        slotTable = UnsafePointer(table)
        self.objectClass = objectClass
        checksValues = OverriddenHooks.checksValues(objectClass)
    }

    deinit { slotTable.deallocate() }

    /// What a value must be to be saved; made when the first object is validated.
    var rules: EntityRules {
        if let madeRules { return madeRules }
        let made = EntityRules(self)
        madeRules = made
        return made
    }

    /// Returns how to reach the property of that name.
    ///
    /// - Throws: `.unknownProperty`, with the most similar name.
    func binding(_ name: String) throws(GraphError) -> PropertyBinding {
        if let binding = bindings[name] { return binding }
        throw .unknownProperty(
            entity: entity.name, name: name,
            nearest: NearestName.of(name, among: bindings.keys.sorted()))
    }

    // MARK: Slots as the class numbers them

    private static func slots(of layout: RowLayout, named names: [String]) -> [RowLayout.Slot] {
        let named = names.compactMap(layout.slot(named:))
        guard !named.isEmpty else { return layout.slots }
        let taken = Set(named.map(\.index))
        return named + layout.slots.filter { !taken.contains($0.index) }
    }

    /// The property of a slot, as the class numbers them.
    func property(at slot: Int) -> Property { layout.properties[Int(slots[slot].index)] }

    /// The slot of a property, as the class numbers them; nil where rows do not hold it.
    func slot(named name: String) -> Int? {
        guard let place = layout.slot(named: name) else { return nil }
        return slots.firstIndex { $0.index == place.index }
    }

    private static func defaults(of layout: RowLayout) -> ContiguousArray<Value> {
        ContiguousArray(
            layout.properties.map { property in
                guard case .attribute(let attribute) = property else { return .null }
                let value = attribute.description.defaultValue
                return value.fits(attribute.type) ? value : .null
            })
    }

    private static func extras(
        of entity: Entity, members: Members
    ) -> ContiguousArray<ExtraValue> {
        var extras = ContiguousArray<ExtraValue>(
            repeating: .value(.null), count: entity.objectSlotCount)
        for property in entity.properties {
            guard let slot = property.storage.objectSlot else { continue }
            switch property {
            case .relationship(let relationship) where relationship.isToMany:
                extras[slot] = .members(members)
            case .attribute(let attribute):
                extras[slot] = .value(attribute.description.defaultValue)
            default: break
            }
        }
        return extras
    }
}

/// A property by where its value is.
enum PropertyBinding {
    case attribute(AttributeBinding)
    case relationship(RelationshipBinding)
    /// Not a value of the object: asks the store each time.
    indirect case fetchedProperty(FetchedProperty)

    init(_ property: Property) {
        switch property {
        case .attribute(let attribute): self = .attribute(AttributeBinding(attribute))
        case .relationship(let relationship):
            self = .relationship(RelationshipBinding(relationship))
        case .fetchedProperty(let property): self = .fetchedProperty(property)
        }
    }
}

/// An attribute by where its value is.
final class AttributeBinding {
    let attribute: Attribute
    let name: String
    let type: AttributeType
    let storage: PropertyStorage

    init(_ attribute: Attribute) {
        self.attribute = attribute
        name = attribute.name
        type = attribute.type
        storage = attribute.storage
    }
}

/// A relationship by where its value is, here and at the other end.
///
/// Slot numbers of a property are the same in all subentities, so one binding serves for every
/// object at either end.
final class RelationshipBinding {
    let relationship: Relationship
    let name: String
    let storage: PropertyStorage
    let isToMany: Bool
    let isOrdered: Bool
    let isTransient: Bool
    let deleteRule: DeleteRule
    /// Whether membership is in pairs, not in the members' rows.
    let isManyToMany: Bool
    /// The entities whose objects it may lead to.
    let destinationNumbers: Range<EntityNumber>
    /// nil where nothing leads back.
    private(set) lazy var inverse = relationship.inverse.map(RelationshipBinding.init)

    init(_ relationship: Relationship) {
        self.relationship = relationship
        name = relationship.name
        storage = relationship.storage
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        isTransient = relationship.isTransient
        deleteRule = relationship.deleteRule
        isManyToMany = relationship.isManyToMany
        destinationNumbers = relationship.destination.hierarchyNumbers
    }
}
