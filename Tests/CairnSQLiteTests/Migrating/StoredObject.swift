import CairnModel
import CairnStore

@testable import CairnSQLite

/// Everything that a store says of one object, under the names of a version of its model.
struct StoredObject: Equatable {
    struct Reference: Hashable, CustomStringConvertible {
        var entity: String
        var key: Int64

        var description: String { "\(entity)/\(key)" }
    }

    var reference: Reference
    var version: Int64
    /// The attributes, apart from those that are nil.
    var values: [String: Value] = [:]
    /// The to-ones that lead somewhere.
    var toOnes: [String: Reference] = [:]
    /// The members of each to-many, in the order that the store tells.
    var toManys: [String: [Reference]] = [:]

    /// Reads all objects of a store through its snapshot, by root entity and key.
    static func all(in store: SQLiteStore) throws -> [StoredObject] {
        let snapshot = try store.snapshot()
        let model = store.request.model
        func reference(_ id: ObjectID) -> Reference {
            Reference(entity: model.entity(numbered: id.entity)?.name ?? "?", key: id.key)
        }
        var objects: [StoredObject] = []
        for root in model.entities where root.superentity == nil {
            guard store.schema.map.schema(of: root) != nil else { continue }
            let cursor = try snapshot.cursor(FetchPlan(entity: root))
            var rows: [Row] = []
            while let batch = try cursor.next(atMost: 100) { rows += batch.rows }
            for row in rows.sorted(by: { $0.key < $1.key }) {
                var object = StoredObject(reference: reference(row.id), version: row.version)
                guard let entity = model.entity(numbered: row.entity) else { continue }
                let layout = store.request.layouts.layout(of: entity)
                for (property, slot) in zip(layout.properties, layout.slots) {
                    switch row.value(slot) {
                    case .null: break
                    case .objectID(let id): object.toOnes[property.name] = reference(id)
                    case let value: object.values[property.name] = value
                    }
                }
                for relationship in entity.relationships
                where relationship.isToMany && !relationship.isTransient {
                    let related = try snapshot.relatedIDs(relationship, of: [row.id])
                    object.toManys[relationship.name] = related.members.map(reference)
                }
                objects.append(object)
            }
        }
        return objects
    }
}
