import CairnAtomicStore
import CairnModel

/// The meanings of a document's names for objects of each entity. Each meaning is looked up only once, not
/// for each element.
struct NameMeanings {
    /// The meaning of the name of an `attribute` element.
    enum AttributeMeaning {
        case slot(Int)
        /// An attribute without a slot in rows.
        case nowhere
        case unknown
    }

    /// The meaning of the name of a `relationship` element.
    enum RelationshipMeaning {
        /// A to-one. `destination` is an index in ``destinations``.
        case toOne(slot: Int, destination: Int)
        /// A to-many whose pairs or order the table stores. `toMany` is an index in ``toManys``, and
        /// `destination` an index in ``destinations``.
        case members(toMany: Int, destination: Int)
        /// A relationship whose value is not read from this element, because other rows or no rows store it.
        case nowhere
        case unknown
    }

    /// The destination of a relationship.
    struct Destination {
        let root: EntityNumber
        let entity: EntityNumber
        /// The entities that a destination may have.
        let entities: Range<EntityNumber>
        /// Whether the destination is the only entity in its hierarchy.
        let isOnly: Bool
    }

    private let names: DocumentNames
    private let properties: NameTable
    // The index is the entity number minus 1, times the number of names, plus the number of the name.
    private var attributes: [AttributeMeaning?]
    private var relationships: [RelationshipMeaning?]
    private(set) var destinations: [Destination] = []
    private(set) var toManys: [Relationship] = []

    init(_ names: DocumentNames, _ properties: NameTable, _ model: ManagedObjectModel) {
        self.names = names
        self.properties = properties
        let count = model.entities.count
        attributes = Array(repeating: nil, count: count * names.count)
        relationships = Array(repeating: nil, count: count * names.count)
    }

    mutating func attribute(_ name: Int, of entity: Entity) -> AttributeMeaning {
        let index = Int(entity.number.rawValue - 1) * names.count + name
        if let known = attributes[index] { return known }
        let meaning: AttributeMeaning =
            if case .attribute(let found)? = properties.property(names[name], of: entity) {
                found.rowSlot.map(AttributeMeaning.slot) ?? .nowhere
            } else {
                .unknown
            }
        attributes[index] = meaning
        return meaning
    }

    /// - Parameter store: The store into which objects of the entity are read.
    mutating func relationship(
        _ name: Int, of entity: Entity, in store: borrowing StoreBuilder
    ) -> RelationshipMeaning {
        let index = Int(entity.number.rawValue - 1) * names.count + name
        if let known = relationships[index] { return known }
        let meaning: RelationshipMeaning =
            if case .relationship(let found)? = properties.property(names[name], of: entity) {
                self.meaning(of: found, in: store)
            } else {
                .unknown
            }
        relationships[index] = meaning
        return meaning
    }

    private mutating func meaning(
        of relationship: Relationship, in store: borrowing StoreBuilder
    ) -> RelationshipMeaning {
        let entity = relationship.destination
        let destination = destinations.count
        var entities = entity.hierarchyNumbers
        // The inverse of a to-many may be declared in a superentity of the destination. Then objects of all
        // entities below that superentity may be members.
        if relationship.isToMany, let above = relationship.inverse?.entity.hierarchyNumbers {
            entities =
                min(
                    entities.lowerBound, above.lowerBound)..<max(
                    entities.upperBound, above.upperBound)
        }
        destinations.append(
            Destination(
                root: entity.rootEntity.number, entity: entity.number,
                entities: entities,
                isOnly: entity.rootEntity.hierarchy.count == 1))
        if let slot = relationship.rowSlot {
            return .toOne(slot: slot, destination: destination)
        }
        guard relationship.isToMany, store.keepsPairs(of: relationship) else {
            return .nowhere
        }
        toManys.append(relationship)
        return .members(toMany: toManys.count - 1, destination: destination)
    }
}
