import CairnModel
import CairnStore

/// What an ``ObjectKind`` knows of its entity's properties, by name and by slot.
final class KindProperties {
    let bindings: [String: PropertyBinding]
    let relationships: [RelationshipBinding]
    let toOnesBySlot: ContiguousArray<RelationshipBinding?>
    let toOneSlots: [Int]
    let toOneExtras: [Int]
    let defaults: ContiguousArray<Value>
    let emptyExtras: ContiguousArray<Value>
    let newMembers: ContiguousArray<Members>
    let unknownMembers: ContiguousArray<Members>
    let isOnlyRow: Bool
    let valuePacking: ValuePacking?

    /// - Parameter slots: as the class numbers them.
    init(of entity: Entity, _ layout: RowLayout, _ slots: [RowLayout.Slot]) {
        var bindings: [String: PropertyBinding] = [:]
        var relationships: [RelationshipBinding] = []
        for property in entity.properties {
            let binding = PropertyBinding(property)
            bindings[property.name] = binding
            if case .relationship(let relationship) = binding { relationships.append(relationship) }
        }
        self.bindings = bindings
        self.relationships = relationships
        let toOnes = relationships.filter { !$0.isToMany }
        toOneSlots = toOnes.compactMap(\.storage.rowSlot)
        toOneExtras = toOnes.compactMap(\.storage.objectSlot)
        toOnesBySlot = ContiguousArray(
            slots.map { slot in toOnes.first { $0.storage.rowSlot == Int(slot.index) } })
        defaults = Self.defaults(of: layout)
        emptyExtras = Self.extras(of: entity)
        let memberCount = relationships.contains(where: \.isToMany) ? entity.objectSlotCount : 0
        newMembers = ContiguousArray(repeating: .none, count: memberCount)
        unknownMembers = ContiguousArray(repeating: Members(), count: memberCount)
        isOnlyRow = emptyExtras.isEmpty && memberCount == 0
        valuePacking = ValuePacking(layout)
    }

    private static func defaults(of layout: RowLayout) -> ContiguousArray<Value> {
        ContiguousArray(
            layout.properties.map { property in
                guard case .attribute(let attribute) = property else { return .null }
                let value = attribute.description.defaultValue
                return value.fits(attribute.type) ? value : .null
            })
    }

    private static func extras(of entity: Entity) -> ContiguousArray<Value> {
        var extras = ContiguousArray<Value>(repeating: .null, count: entity.objectSlotCount)
        var hasValues = false
        for property in entity.properties {
            guard let slot = property.storage.objectSlot else { continue }
            switch property {
            case .relationship(let relationship) where relationship.isToMany: continue
            case .attribute(let attribute): extras[slot] = attribute.description.defaultValue
            default: break
            }
            hasValues = true
        }
        return hasValues ? extras : []
    }
}
