import CairnModel
import CairnRows
import CairnStore
import Synchronization

/// The parts of a model that a store needs, resolved once when the store is opened.
final class ContentSchema: Sendable {
    /// One side of a to-many relationship: the relationship itself, or its reverse direction if it
    /// has no inverse.
    struct Side: Hashable, Sendable {
        private let entity: EntityNumber
        private let name: String
        private let isWayBack: Bool

        init(_ relationship: Relationship, isWayBack: Bool = false) {
            entity = relationship.entity.number
            name = relationship.name
            self.isWayBack = isWayBack
        }

        init(inverseOf relationship: Relationship) {
            self = relationship.inverse.map { Side($0) } ?? Side(relationship, isWayBack: true)
        }
    }

    let request: OpenRequest
    let store: StoreNumber
    let held: HeldEntities
    let derived: DerivedAttributes
    let constraints: [UniqueProperties]
    /// Both sides of each relationship that is stored as pairs, with the root entity of the near
    /// side.
    let pairSides: [(root: EntityNumber, side: Side, other: Side)]
    /// Packs rows that are kept. Rows of several saves share its slabs.
    let writer: Mutex<RowWriter>
    /// By entity, the to-one slots in its rows whose inverse is a to-many relationship.
    private let toOnes: [EntityNumber: [(RowLayout.Slot, Side)]]

    var layouts: RowLayouts { request.layouts }

    init(_ request: OpenRequest, store: StoreNumber) throws(StoreError) {
        self.request = request
        self.store = store
        held = try HeldEntities(request)
        derived = try DerivedAttributes(request.model, at: request.location)
        constraints = UniqueProperties.all(in: request.layouts)
        var toOnes: [EntityNumber: [(RowLayout.Slot, Side)]] = [:]
        var pairSides: [(EntityNumber, Side, Side)] = []
        for entity in request.model.entities {
            let layout = request.layouts.layout(of: entity)
            for relationship in entity.relationships where !relationship.isTransient {
                if let slot = layout.slot(named: relationship.name),
                    let inverse = relationship.inverse, inverse.isToMany
                {
                    toOnes[entity.number, default: []].append((slot, Side(inverse)))
                }
                guard relationship.isManyToMany, relationship.entity == entity else { continue }
                let (side, other) = (Side(relationship), Side(inverseOf: relationship))
                pairSides.append((entity.rootEntity.number, side, other))
                pairSides.append((relationship.destination.rootEntity.number, other, side))
            }
        }
        writer = Mutex(RowWriter(store: store))
        self.toOnes = toOnes
        self.pairSides = pairSides
    }

    func toOnes(of entity: EntityNumber) -> [(RowLayout.Slot, Side)] { toOnes[entity] ?? [] }

    /// Returns the ID of an object of this store. The object's concrete entity may be another one
    /// with the same root.
    func id(_ key: Int64, of entity: Entity) -> ObjectID {
        ObjectID(
            store: store, rootEntity: entity.rootEntity.number, entity: entity.number, key: key)
    }

    /// Copies rows to memory that the store owns.
    func copy(_ rows: [Row]) -> [Row] {
        writer.withLock { writer in
            for row in rows { writer.append(copyOf: row) }
            return Array(writer.takeBatch().rows)
        }
    }
}
