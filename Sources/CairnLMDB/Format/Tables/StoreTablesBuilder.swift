import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// Opens the tables that a model requires, and the indexes that exist in the file.
struct StoreTablesBuilder {
    let layouts: RowLayouts
    /// The roots of the inheritance trees that the store holds, according to its configuration.
    private(set) var heldRoots: Set<EntityNumber> = []
    private let request: OpenRequest
    private let transaction: LMDBTransaction
    private let makes: Making
    /// The mapping of entity numbers. `nil` if the store and the model use the same numbers.
    private(set) var numbering: StoreNumbering?
    /// The tables by entity number; number 1 is at index 0. `nil` for an entity that the store does
    /// not list.
    private(set) var parts: [EntityTables.Parts?] = []
    private(set) var constraints: [StoreTables.Constraint] = []
    private(set) var memberTables: [PropertyKey: MemberTables] = [:]
    private(set) var links: [PropertyKey: LMDBTable] = [:]
    private(set) var indexes: [PropertyKey: LMDBTable] = [:]

    /// Which missing tables are created.
    enum Making {
        case none
        /// The indexes that the model asks for, and the history that the request asks for.
        case additions
        /// All tables, for a new store.
        case all
    }

    init(_ request: OpenRequest, _ transaction: LMDBTransaction, makes: Making) {
        self.request = request
        layouts = request.layouts
        self.transaction = transaction
        self.makes = makes
    }

    /// - Throws: `.corrupt` if a table is missing; `.unsupported` if the model lacks the request's
    ///   configuration; `.engineFailure`.
    consuming func build() throws(StoreError) -> StoreTables {
        heldRoots = Set(try CompatibilityCheck.entities(of: request).map(\.rootEntity.number))
        let metadata = try open(TableName.metadata, .bytes)
        let listed = try listedEntities(metadata)
        for entity in layouts.model.entities { try addRows(of: entity, listed) }
        for entity in layouts.model.entities where listed.contains(entity.name) {
            for property in entity.ownProperties { try add(property) }
            for constraint in entity.description.uniquenessConstraints {
                try add(constraint, of: entity)
            }
        }
        let wantsHistory = try request.options.tracksHistory()
        let history = try transaction.table(
            TableName.history, .integers, makesMissing: makes != .none && wantsHistory)
        guard let main = try transaction.table(nil, .bytes) else {
            throw .corrupt(
                transaction.location, location: "the table of tables",
                detail: "the table is missing")
        }
        let count = try transaction.count(of: main)
        return StoreTables(
            self, metadata: metadata, history: history, fileTableCount: count)
    }

    private func open(_ name: String, _ form: LMDBTableForm) throws(StoreError) -> LMDBTable {
        guard let table = try transaction.table(name, form, makesMissing: makes == .all) else {
            throw .corrupt(
                transaction.location, location: "the table \(name)", detail: "the table is missing")
        }
        return table
    }

    /// Opens a table of an entity's relationship or constraint. Returns `nil` if the table is missing and
    /// the store does not hold the entity: the model that the store was created with lacked the property.
    private func open(
        _ name: String, _ form: LMDBTableForm, of entity: Entity
    ) throws(StoreError) -> LMDBTable? {
        if heldRoots.contains(entity.rootEntity.number) { return try open(name, form) }
        return try transaction.table(name, form, makesMissing: makes == .all)
    }

    /// Returns the names of the entities that the store has numbers for. For a new store, these are
    /// all entities.
    private mutating func listedEntities(_ metadata: LMDBTable) throws(StoreError) -> Set<String> {
        if makes == .all { return Set(layouts.model.entities.map(\.name)) }
        let record = StoreRecord(transaction: transaction, table: metadata)
        let names = try record.entityNames()
        numbering = StoreNumbering(names: names, model: layouts.model)
        return Set(names)
    }

    /// Adds the table of an entity's rows. A root has a lower number than its subentities, so the
    /// root's table is already open when they are added.
    private mutating func addRows(
        of entity: Entity, _ listed: Set<String>
    ) throws(StoreError) {
        let root = entity.rootEntity
        guard listed.contains(entity.name) else { return parts.append(nil) }
        let rows =
            root == entity
            ? try open(TableName.rows(root), .integers)
            : parts[Int(root.number.rawValue) - 1]?.rows
        parts.append(rows.map { EntityTables.Parts(rows: $0) })
    }

    private mutating func add(_ property: Property) throws(StoreError) {
        switch property {
        case .attribute(let attribute): try addIndex(of: attribute)
        case .relationship(let relationship) where relationship.isTransient: break
        case .relationship(let relationship) where relationship.isManyToMany:
            if let pairs = PairRelationship(relationship) { try add(pairs) }
        case .relationship(let relationship) where !relationship.isToMany:
            if relationship.inverse?.isToMany == true { try addLinks(of: relationship) }
        default: break
        }
    }

    // MARK: Indexes

    /// Opens the index of an attribute. An index that exists in the file must be kept up to date,
    /// even if this model does not ask for it.
    private mutating func addIndex(of attribute: Attribute) throws(StoreError) {
        guard let kind = layouts.kind(of: attribute), IndexKey.encodes(kind) else { return }
        let makes = makes != .none && attribute.wantsIndex
        guard
            let table = try transaction.table(
                TableName.index(attribute), .index, makesMissing: makes)
        else { return }
        indexes[PropertyKey(attribute)] = table
        forEachSlot(of: attribute.name, in: attribute.entity) { tables, slot in
            tables.indexes.append((table, slot))
        }
    }

    // MARK: Relationships

    private mutating func addLinks(of relationship: Relationship) throws(StoreError) {
        guard
            let table = try open(TableName.links(relationship), .bytes, of: relationship.entity)
        else { return }
        links[PropertyKey(relationship)] = table
        if let inverse = relationship.inverse {
            memberTables[PropertyKey(inverse)] = .links(table)
        }
        forEachSlot(of: relationship.name, in: relationship.entity) { tables, slot in
            tables.links.append((table, slot))
        }
    }

    private mutating func add(_ relationship: PairRelationship) throws(StoreError) {
        let owner = relationship.owning.entity
        guard
            let forward = try open(TableName.pairs(relationship.owning), .bytes, of: owner),
            let backward = relationship.isSymmetric
                ? forward
                : try open(TableName.inversePairs(relationship.owning), .bytes, of: owner)
        else { return }
        let pairs = PairTables(forward: forward, backward: backward)
        for side in relationship.sides {
            memberTables[PropertyKey(side.relationship)] = .pairs(pairs, isForward: side.isForward)
        }
        for entity in relationship.ownerEntities {
            parts[Int(entity.number.rawValue) - 1]?.ownedPairs.append(pairs)
        }
        for entity in relationship.memberEntities {
            parts[Int(entity.number.rawValue) - 1]?.memberPairs.append(pairs)
        }
    }

    // MARK: Uniqueness

    private mutating func add(_ properties: [String], of entity: Entity) throws(StoreError) {
        guard let unique = UniqueProperties(properties, of: entity, layouts) else { return }
        guard let table = try open(TableName.unique(entity, properties), .index, of: entity) else {
            return
        }
        let number = constraints.count
        constraints.append((unique, table))
        for entity in entity.hierarchy {
            guard let slots = unique.slots(in: entity.number) else { continue }
            parts[Int(entity.number.rawValue) - 1]?.constraints.append(
                (number, table, slots))
        }
    }

    private mutating func forEachSlot(
        of property: String, in entity: Entity,
        _ body: (inout EntityTables.Parts, RowLayout.Slot) -> Void
    ) {
        for entity in entity.hierarchy {
            guard let slot = layouts.layout(of: entity).slot(named: property) else { continue }
            let index = Int(entity.number.rawValue) - 1
            guard var tables = parts[index] else { continue }
            body(&tables, slot)
            parts[index] = tables
        }
    }
}

extension Attribute {
    /// Whether the model asks for an index of the attribute's values, either with the attribute's
    /// own flag, or as the first element of an index of an entity that has the attribute.
    var wantsIndex: Bool {
        if description.isIndexed { return true }
        return entity.hierarchy.contains { holder in
            holder.description.fetchIndexes.contains { index in
                index.partialPredicate == nil
                    && index.elements.first?.target == .property(name)
                    && index.elements.first?.type == .binary
            } || holder.description.compoundIndexes.contains { $0.first == name }
        }
    }
}

extension RowLayouts {
    /// Returns how rows store an attribute, or `nil` if they do not store it.
    func kind(of attribute: Attribute) -> RowLayout.Kind? {
        layout(of: attribute.entity).slot(named: attribute.name)?.kind
    }
}
