import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// A store's open tables, by the part of the model that they belong to. They are resolved once for
/// each opened store.
final class StoreTables: Sendable {
    let layouts: RowLayouts
    let metadata: LMDBTable
    let constraints: [UniquenessTable]
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
