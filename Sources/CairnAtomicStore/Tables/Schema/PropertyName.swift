import CairnModel
import CairnModelArchive
import CairnStore

/// A property by its declaring entity and name, so that equal models find the same.
struct PropertyName: Hashable {
    let entity: EntityNumber
    let name: String

    init(_ relationship: Relationship) {
        entity = relationship.entity.number
        name = relationship.name
    }

    init(_ attribute: Attribute) {
        entity = attribute.entity.number
        name = attribute.name
    }
}
