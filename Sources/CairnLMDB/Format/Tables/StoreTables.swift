import CairnModel
import CairnStore

/// A store's open tables, by what the model needs them for: resolved once per opened store.
final class StoreTables: Sendable {
    let layouts: RowLayouts
    let metadata: LMDBTable
    let constraints: [UniquenessTable]
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
    private let memberTables: [PropertyKey: MemberTables]
    private let links: [PropertyKey: LMDBTable]
    private let indexes: [PropertyKey: LMDBTable]

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
        memberTables = builder.memberTables
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

    /// Returns the tables of the entity's rows. Returns `nil` for a number the model does not have, and for an
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

    /// Returns the tables that hold the members of a to-many. Returns `nil` if it is transient or
    /// unknown.
    func memberTables(of relationship: Relationship) -> MemberTables? {
        memberTables[PropertyKey(relationship)]
    }

    /// Returns the table of (destination, source) of a to-one. Returns `nil` if there is none.
    func links(of relationship: Relationship) -> LMDBTable? {
        links[PropertyKey(relationship)]
    }

    /// Returns the index of an attribute. Returns `nil` if there is none.
    func index(of attribute: Attribute) -> LMDBTable? {
        indexes[PropertyKey(attribute)]
    }
}
