import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The state in a save's transaction, in which derived attributes are computed.
struct SavedState: DerivationState {
    let schema: StoreSchema
    let connection: PostgresConnection

    func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?] {
        let batch = try PostgresRowsByKey(ids, schema).read { (statements) throws(StoreError) in
            statements.isEmpty ? [] : try connection.run(statements, for: "compute")
        }
        let rows = Dictionary(
            batch.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return ids.map { rows[$0] }
    }

    func members(of relationship: Relationship, in row: Row) throws(StoreError) -> [ObjectID] {
        try related(relationship, [row.id])
    }

    func members(
        of relationship: Relationship, ofOwners owners: Set<ObjectID>
    ) throws(StoreError) -> Set<ObjectID> {
        Set(try related(relationship, Array(owners)))
    }

    func objects(of entity: Entity) throws(StoreError) -> Set<ObjectID> {
        guard let table = schema.table(of: entity) else { return [] }
        let entities = schema.list(of: entity.hierarchyNumbers.map { $0 })
        let result = try connection.run(
            PostgresStatement(
                "SELECT _key, _entity FROM \(table.name) WHERE _entity IN (\(entities))"),
            for: "compute")
        return Set(try PostgresRowReader.ids(result, of: table, schema))
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        throw .externalDataMissing(reference, path: "")
    }

    private func related(
        _ relationship: Relationship, _ owners: [ObjectID]
    ) throws(StoreError) -> [ObjectID] {
        let reader = PostgresMemberReader(relationship: relationship, schema: schema)
        let keys = reader.keys(of: owners)
        guard !keys.isEmpty, let statement = reader.statement(ownedBy: keys) else { return [] }
        let result = try connection.run(statement, for: "compute")
        return try reader.relatedIDs(of: owners, result).members
    }
}
