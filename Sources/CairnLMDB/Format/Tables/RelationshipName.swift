import CairnModel
import CairnStore

/// A relationship by its declaring entity and name, so that equal models find the same.
struct RelationshipName: Hashable {
    let entity: EntityNumber
    let name: String

    init(_ relationship: Relationship) {
        entity = relationship.entity.number
        name = relationship.name
    }
}
