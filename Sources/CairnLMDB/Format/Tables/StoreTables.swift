import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// A store's open tables, by the part of the model that they belong to. They are resolved once for
/// each opened store.
final class StoreTables: Sendable {
    let layouts: RowLayouts
    let metadata: LMDBTable
    /// The transactions of the history, or `nil` if the store keeps none.
    let history: LMDBTable?
    let constraints: [Constraint]
    /// A uniqueness constraint, with the table of its values.
    typealias Constraint = (properties: UniqueProperties, table: LMDBTable)
    /// The number of tables in the file. If the number changes, another process has created a
    /// table.
    let fileTableCount: Int
    /// The mapping of entity numbers. `nil` if the store and the model use the same numbers.
    let numbering: StoreNumbering?
    /// The map of `numbering`, for operations on each row, because using it needs no reference
    /// counting.
    let modelNumbers: EntityNumberMap?
    /// Whether the model has entities that the store does not list.
    let isPartial: Bool
    /// The tables by entity number; number 1 is at index 0. `nil` for an entity that the store does
    /// not list.
    private let entities: [EntityTables?]
    private let memberTables: [PropertyKey: MemberTables]
    private let links: [PropertyKey: LMDBTable]
    private let indexes: [PropertyKey: LMDBTable]

    init(
        _ builder: StoreTablesBuilder, metadata: LMDBTable, history: LMDBTable?,
        fileTableCount: Int
    ) {
        layouts = builder.layouts
        self.metadata = metadata
        self.history = history
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
        memberTables = builder.memberTables
        links = builder.links
        indexes = builder.indexes
    }

    /// Returns the model's number for an entity of the store. If the stored number is damaged, the
    /// model may have no entity with the returned number.
    @inline(__always) func modelNumber(of entity: StoreEntityNumber) -> EntityNumber {
        numbering.map { $0.modelNumber(of: entity) } ?? EntityNumber(entity.rawValue)
    }

    /// Returns the store's number for an entity that the store lists.
    @inline(__always) func storeNumber(of entity: EntityNumber) -> StoreEntityNumber {
        numbering.map { $0.storeNumber(of: entity) } ?? StoreEntityNumber(entity.rawValue)
    }

    /// Returns the tables of the entity's rows, or `nil` if the model has no such entity or the
    /// store does not list it.
    func tables(of entity: EntityNumber) -> EntityTables? {
        let index = Int(entity.rawValue) - 1
        return entities.indices.contains(index) ? entities[index] : nil
    }

    /// Returns the tables of an entity whose objects are to be saved.
    ///
    /// - Throws: `.unsupported` if the store does not hold the entity, for one of three reasons:
    ///   the model has no such entity, the store's configuration has no entity of its inheritance
    ///   tree, or the model that the store was created with did not have it.
    func heldTables(
        of entity: EntityNumber, at location: StoreLocation
    ) throws(StoreError) -> EntityTables {
        if let tables = tables(of: entity), tables.isHeld { return tables }
        let known = layouts.model.entity(numbered: entity)
        throw .unsupported(
            location, feature: "no entity \(known?.name ?? "number \(entity.rawValue)")",
            advice: HeldEntities.advice(isListed: known == nil || tables(of: entity) != nil))
    }

    /// Returns the tables that hold the members of a to-many relationship, or `nil` if it is
    /// transient or unknown.
    func memberTables(of relationship: Relationship) -> MemberTables? {
        memberTables[PropertyKey(relationship)]
    }

    /// Returns the table of a to-one relationship's links, or `nil` if it has none.
    func links(of relationship: Relationship) -> LMDBTable? {
        links[PropertyKey(relationship)]
    }

    /// Returns the index of an attribute, or `nil` if it has none.
    func index(of attribute: Attribute) -> LMDBTable? {
        indexes[PropertyKey(attribute)]
    }
}

/// The tables that hold data of one concrete entity's rows.
///
/// A class, because every row of a save refers to it.
final class EntityTables: Sendable {
    typealias SlotTable = (table: LMDBTable, slot: RowLayout.Slot)
    typealias ConstraintSlots = (number: Int, table: LMDBTable, slots: [RowLayout.Slot])

    let entity: EntityNumber
    let root: EntityNumber
    let name: String
    let isAbstract: Bool
    /// Whether the store's configuration has an entity of the same inheritance tree. The file has
    /// tables for all entities.
    let isHeld: Bool
    let rows: LMDBTable
    /// The slots whose values may be stored outside the row.
    let externalSlots: [RowLayout.Slot]
    /// The indexes, each with the slot of its values in the entity's rows.
    let indexes: [SlotTable]
    /// The links of to-one relationships, each with its slot in the entity's rows.
    let links: [SlotTable]
    /// The uniqueness constraints, each with its index in ``StoreTables/constraints`` and the slots
    /// of its values in the entity's rows.
    let constraints: [ConstraintSlots]
    /// The pairs in which objects of the entity are owners.
    let ownedPairs: [PairTables]
    /// The pairs in which objects of the entity are members.
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

    /// The tables that a builder collects for one entity.
    struct Parts {
        let rows: LMDBTable
        var indexes: [SlotTable] = []
        var links: [SlotTable] = []
        var constraints: [ConstraintSlots] = []
        var ownedPairs: [PairTables] = []
        var memberPairs: [PairTables] = []
    }
}

/// The pairs of one many-to-many relationship, which can be found from both sides.
struct PairTables: Sendable {
    /// The pairs by (owner, member), with the member's order key.
    let forward: LMDBTable
    /// The pairs by (member, owner), with the owner's order key. The same table as `forward` if the
    /// relationship is its own inverse.
    let backward: LMDBTable
}

/// The tables that hold the members of a to-many relationship.
enum MemberTables: Sendable {
    /// The members are stored as pairs. `isForward` is true for the side that owns the pairs.
    case pairs(PairTables, isForward: Bool)
    /// The members are stored as links of the to-one inverse, which also hold the order.
    case links(LMDBTable)

    /// The table whose keys begin with the owner's key.
    var members: LMDBTable {
        switch self {
        case .pairs(let tables, let isForward): isForward ? tables.forward : tables.backward
        case .links(let table): table
        }
    }
}
