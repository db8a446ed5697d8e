import CairnModel
import CairnStore

/// An attribute by its declaring entity and name.
struct AttributeName: Hashable {
    let entity: EntityNumber
    let name: String

    init(_ attribute: Attribute) {
        entity = attribute.entity.number
        name = attribute.name
    }
}
