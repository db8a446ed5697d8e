import CairnAtomicStore
import CairnModel
import CairnStore

/// What the names of a document mean in objects of each entity: found once, not for each element.
struct NameMeanings {
    /// What the name of an attribute's element means.
    enum AttributeMeaning {
        case slot(Int)
        /// An attribute that rows do not hold.
        case nowhere
        case unknown
    }

    /// What the name of a relationship's element means.
    enum RelationshipMeaning {
        case toOne(slot: Int, Relationship)
        /// A to-many whose pairs or order the table keeps.
        case members(Relationship)
        /// One that other rows hold, or none.
        case nowhere
        case unknown
    }

    private let names: DocumentNames
    private let properties: NameTable
    private let table: RowTable
    /// By entity number, from 1 at index 0, and name.
    private var attributes: [[AttributeMeaning?]]
    private var relationships: [[RelationshipMeaning?]]

    init(_ names: DocumentNames, _ properties: NameTable, _ table: RowTable) {
        self.names = names
        self.properties = properties
        self.table = table
        let count = table.schema.layouts.model.entities.count
        attributes = Array(repeating: Array(repeating: nil, count: names.count), count: count)
        relationships = Array(repeating: Array(repeating: nil, count: names.count), count: count)
    }

    mutating func attribute(_ name: Int, of entity: Entity) -> AttributeMeaning {
        let index = Int(entity.number.rawValue) - 1
        if let known = attributes[index][name] { return known }
        let meaning: AttributeMeaning =
            if case .attribute(let found)? = properties.property(names[name], of: entity) {
                found.rowSlot.map(AttributeMeaning.slot) ?? .nowhere
            } else {
                .unknown
            }
        attributes[index][name] = meaning
        return meaning
    }

    mutating func relationship(_ name: Int, of entity: Entity) -> RelationshipMeaning {
        let index = Int(entity.number.rawValue) - 1
        if let known = relationships[index][name] { return known }
        let meaning: RelationshipMeaning =
            if case .relationship(let found)? = properties.property(names[name], of: entity) {
                self.meaning(of: found)
            } else {
                .unknown
            }
        relationships[index][name] = meaning
        return meaning
    }

    private func meaning(of relationship: Relationship) -> RelationshipMeaning {
        if let slot = relationship.rowSlot { return .toOne(slot: slot, relationship) }
        return relationship.isToMany && table.schema.keepsPlaces(of: relationship)
            ? .members(relationship) : .nowhere
    }
}
