import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Updates the derived attributes that no trigger maintains.
struct DerivationWriter {
    private let save: SaveContext
    private var pass: DerivationPass
    /// Rows whose unique values belong to another row.
    private(set) var clashing: [ObjectID] = []

    init(_ save: SaveContext, derived: DerivedAttributes, of request: SaveRequest) {
        self.save = save
        pass = DerivationPass(
            derived, layouts: save.schema.map.layouts, store: save.schema.store, of: request)
    }

    /// The rows whose values changed.
    var computedRows: [Row] { pass.computedRows }

    /// Notes which objects depend on the objects of the request. Must be called before the request
    /// is written.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    mutating func noteDependents() throws(StoreError) {
        try pass.noteDependents(in: SQLiteDerivationState(save: save))
    }

    /// Computes and writes the values. Must be called after the request is written.
    ///
    /// - Throws: `.unsupportedValue`, `.corrupt` or `.engineFailure`.
    mutating func write() throws(StoreError) {
        while let rows = try pass.nextRows(in: SQLiteDerivationState(save: save)) {
            for row in rows { try write(row.new, slots: row.slots) }
        }
    }

    private mutating func write(_ row: Row, slots: [Int]) throws(StoreError) {
        let schema = try save.entitySchema(row.entity)
        let binding = RowBinding(slots.map { schema.slots[$0] }, firstParameter: 2)
        let values = binding.columns.enumerated().map { "\($1) = ?\($0 + 2)" }
        let statement = try save.connection.statement(
            "UPDATE \(schema.table) SET \(values.joined(separator: ", ")) WHERE Z_PK = ?1")
        try statement.bind(row.key, at: 1)
        try binding.bind(row, to: statement, in: save)
        guard let failure = withExtendedLifetime(row, { statement.runReturningFailure() }) else {
            return
        }
        guard failure.isUniqueClash, save.connection.isInTransaction else {
            throw failure.storeError(at: save.schema.location)
        }
        clashing.append(row.id)
    }
}

/// The state of the store during a save, including the changes that are already written.
private struct SQLiteDerivationState: DerivationState {
    let save: SaveContext

    func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?] {
        let rows = try save.storedRows(ids)
        return ids.map { rows[$0] }
    }

    func members(
        of relationship: Relationship, in row: Row
    ) throws(StoreError) -> [ObjectID] {
        try MembersByOwner(relationship, schema: save.schema)
            .relatedIDs(of: [row.id], save.connection).members
    }

    func members(
        of relationship: Relationship, ofOwners owners: Set<ObjectID>
    ) throws(StoreError) -> Set<ObjectID> {
        let related = try MembersByOwner(relationship, schema: save.schema)
            .relatedIDs(of: Array(owners), save.connection)
        return Set(related.members)
    }

    func objects(of entity: Entity) throws(StoreError) -> Set<ObjectID> {
        let root = entity.rootEntity.number
        let schema = try save.entitySchema(entity.number)
        let select = try save.connection.statement("SELECT Z_PK FROM \(schema.table)")
        defer { select.reset() }
        var ids: Set<ObjectID> = []
        while try select.step() {
            ids.insert(
                ObjectID(
                    store: save.schema.store, rootEntity: root, entity: root,
                    key: try select.key(at: 0, "the owners of a derived attribute")))
        }
        return ids
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try save.externalData.folder.read(reference)
    }
}
