import CairnModel
import CairnStore

/// A store's open tables, by what the model needs them for: resolved once per opened store.
final class StoreTables: Sendable {
    let layouts: RowLayouts
    let metadata: LMDBTable
    let constraints: [UniquenessConstraint]
    /// How many tables the file has: another number means that another process made one.
    let fileTableCount: Int
    /// `nil` if the store numbers its entities as the model does.
    let numbering: StoreNumbering?
    /// The numbering's map, for what is done with each row: using it counts no reference.
    let modelNumbers: EntityNumberMap?
    /// Whether the model has entities that the store does not list.
    let isPartial: Bool
    /// By entity number, from 1 at index 0; `nil` for an entity that the store does not list.
    private let entities: [EntityTables?]
    private let places: [RelationshipName: RelationshipPlace]
    private let links: [RelationshipName: LMDBTable]
    private let indexes: [AttributeName: LMDBTable]

    init(_ builder: StoreTablesBuilder, metadata: LMDBTable, fileTableCount: Int) {
        layouts = builder.layouts
        self.metadata = metadata
        self.fileTableCount = fileTableCount
        constraints = builder.constraints
        numbering = builder.numbering
        modelNumbers = builder.numbering?.modelNumbers
        entities = zip(builder.layouts.model.entities, builder.parts).map { entity, parts in
            parts.map {
                EntityTables(
                    entity, $0, layouts: builder.layouts,
                    isHeld: builder.heldRoots.contains(entity.rootEntity.number))
            }
        }
        isPartial = entities.contains { $0 == nil }
        places = builder.places
        links = builder.links
        indexes = builder.indexes
    }

    /// Returns the model's number of an entity of the store; one that the model does not have if the
    /// number is damaged.
    @inline(__always) func modelNumber(of entity: StoreEntityNumber) -> EntityNumber {
        numbering.map { $0.modelNumber(of: entity) } ?? EntityNumber(entity.rawValue)
    }

    /// Returns the store's number of an entity that the store lists.
    @inline(__always) func storeNumber(of entity: EntityNumber) -> StoreEntityNumber {
        numbering.map { $0.storeNumber(of: entity) } ?? StoreEntityNumber(entity.rawValue)
    }

    /// Returns the tables of the entity's rows; nil for a number the model does not have, and for an
    /// entity that the store does not list.
    func tables(of entity: EntityNumber) -> EntityTables? {
        let index = Int(entity.rawValue) - 1
        return entities.indices.contains(index) ? entities[index] : nil
    }

    /// Returns the tables of an entity whose objects are to be saved.
    ///
    /// - Throws: `.unsupported` if the store does not hold the entity: the model does not have it,
    ///   the store's configuration has no entity of its inheritance tree, or the store was made with
    ///   a model that did not have it.
    func heldTables(
        of entity: EntityNumber, at location: StoreLocation
    ) throws(StoreError) -> EntityTables {
        if let tables = tables(of: entity), tables.isHeld { return tables }
        let known = layouts.model.entity(numbered: entity)
        throw .unsupported(
            location, feature: "no entity \(known?.name ?? "number \(entity.rawValue)")",
            advice: HeldEntities.advice(isListed: known == nil || tables(of: entity) != nil))
    }

    /// Returns where the members of a to-many are kept. Returns `nil` if it is transient or
    /// unknown.
    func place(of relationship: Relationship) -> RelationshipPlace? {
        places[RelationshipName(relationship)]
    }

    /// Returns the table of (destination, source) of a to-one. Returns `nil` if there is none.
    func links(of relationship: Relationship) -> LMDBTable? {
        links[RelationshipName(relationship)]
    }

    /// Returns the index of an attribute. Returns `nil` if there is none.
    func index(of attribute: Attribute) -> LMDBTable? {
        indexes[AttributeName(attribute)]
    }
}

/// What is kept of the rows of one concrete entity.
///
/// A class, because every row of a save refers to it.
final class EntityTables: Sendable {
    let entity: EntityNumber
    let root: EntityNumber
    let name: String
    let isAbstract: Bool
    /// Whether the store's configuration has an entity of the same inheritance tree. The file has
    /// tables for all entities.
    let isHeld: Bool
    let rows: LMDBTable
    /// The slots whose values could be kept outside of the row.
    let externalSlots: [RowLayout.Slot]
    let indexes: [RowIndex]
    let links: [RowLink]
    let constraints: [RowConstraint]
    /// Pairs in which objects of the entity are owners, and in which they are members.
    let ownedPairs: [PairTables]
    let memberPairs: [PairTables]

    init(_ entity: Entity, _ parts: Parts, layouts: RowLayouts, isHeld: Bool) {
        self.isHeld = isHeld
        self.entity = entity.number
        root = entity.rootEntity.number
        name = entity.name
        isAbstract = entity.isAbstract
        rows = parts.rows
        externalSlots = layouts.layout(of: entity).slots.filter { $0.kind == .externalBinary }
        indexes = parts.indexes
        links = parts.links
        constraints = parts.constraints
        ownedPairs = parts.ownedPairs
        memberPairs = parts.memberPairs
    }

    /// What a builder gathers.
    struct Parts {
        let rows: LMDBTable
        var indexes: [RowIndex] = []
        var links: [RowLink] = []
        var constraints: [RowConstraint] = []
        var ownedPairs: [PairTables] = []
        var memberPairs: [PairTables] = []
    }
}

/// An index, and the slot of its values in the rows of one entity.
struct RowIndex: Sendable {
    let table: LMDBTable
    let slot: RowLayout.Slot
}

/// The links of a to-one, and its slot in the rows of one entity.
struct RowLink: Sendable {
    let table: LMDBTable
    let slot: RowLayout.Slot
}

/// A uniqueness constraint, and the slots of its values in the rows of one entity.
struct RowConstraint: Sendable {
    /// Which of ``StoreTables/constraints``.
    let number: Int
    let table: LMDBTable
    let slots: [RowLayout.Slot]
}

/// Properties whose combined values occur once in a store.
struct UniquenessConstraint: Sendable {
    /// The entity that declares it.
    let entity: String
    let properties: [String]
    let table: LMDBTable
}

/// The pairs of one many-to-many relationship, found from either side.
struct PairTables: Sendable {
    /// (owner, member), and where the member stands.
    let forward: LMDBTable
    /// (member, owner), and where the owner stands; where both sides are one, `forward` itself.
    let backward: LMDBTable
}

/// Where the members of a to-many relationship are kept.
enum RelationshipPlace: Sendable {
    /// In pairs; `isForward` from the side that owns them.
    case pairs(PairTables, isForward: Bool)
    /// In the members' to-ones, with the order beside the link.
    case links(LMDBTable)

    /// The table whose keys begin with the owner's.
    var members: LMDBTable {
        switch self {
        case .pairs(let tables, let isForward): isForward ? tables.forward : tables.backward
        case .links(let table): table
        }
    }
}

/// A relationship by its declaring entity and name, so that equal models find the same.
struct RelationshipName: Hashable {
    let entity: EntityNumber
    let name: String

    init(_ relationship: Relationship) {
        entity = relationship.entity.number
        name = relationship.name
    }
}

/// An attribute by its declaring entity and name.
struct AttributeName: Hashable {
    let entity: EntityNumber
    let name: String

    init(_ attribute: Attribute) {
        entity = attribute.entity.number
        name = attribute.name
    }
}
