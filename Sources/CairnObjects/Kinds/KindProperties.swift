import CairnModel
import CairnRows
import CairnStack

/// The properties of an ``ObjectKind``'s entity, by name and by slot.
final class KindProperties {
    let bindings: [String: PropertyBinding]
    let relationships: [RelationshipBinding]
    /// The properties that the class marks, indexed by the offsets of their marks.
    let marked: ContiguousArray<PropertyBinding?>
    let toOneSlots: [RowSlot]
    let toOneExtras: [ObjectSlot]
    let transientAttributes: [ObjectSlot]
    let defaults: PerSlot<RowSlot, Value>
    let emptyExtras: PerSlot<ObjectSlot, Value>
    let initialValues: [InitialValue]
    let newMembers: PerSlot<ObjectSlot, MemberIDs>
    let unknownMembers: PerSlot<ObjectSlot, MemberIDs>
    let isOnlyRow: Bool
    let valuePacking: ValuePacking?

    init(
        of entity: Entity, _ layout: RowLayout, _ marks: ClassMarks,
        _ objectClass: ManagedObject.Type
    ) {
        var bindings: [String: PropertyBinding] = [:]
        var relationships: [RelationshipBinding] = []
        for property in entity.properties {
            let binding = PropertyBinding(property)
            bindings[property.name] = binding
            if case .relationship(let relationship) = binding { relationships.append(relationship) }
        }
        self.bindings = bindings
        marked = Self.marked(marks, bindings)
        self.relationships = relationships
        let toOnes = relationships.filter { !$0.isToMany }
        toOneSlots = toOnes.compactMap(\.storage.rowSlot)
        toOneExtras = toOnes.compactMap(\.storage.objectSlot)
        transientAttributes = entity.attributes.compactMap { PropertySlot(of: $0).objectSlot }
        initialValues = InitialValue.all(of: objectClass, entity)
        defaults = Self.defaults(of: layout)
        emptyExtras = Self.extras(of: entity)
        let memberCount = relationships.contains(where: \.isToMany) ? entity.objectSlotCount : 0
        newMembers = PerSlot(repeating: .none, count: memberCount)
        unknownMembers = PerSlot(repeating: MemberIDs(), count: memberCount)
        isOnlyRow = emptyExtras.isEmpty && memberCount == 0
        valuePacking = ValuePacking(layout)
    }

    private static func marked(
        _ marks: ClassMarks, _ bindings: [String: PropertyBinding]
    ) -> ContiguousArray<PropertyBinding?> {
        let count = marks.marks.map { $0.offset + 1 }.max() ?? 0
        var marked = ContiguousArray<PropertyBinding?>(repeating: nil, count: count)
        for mark in marks.marks { marked[mark.offset] = bindings[mark.name] }
        return marked
    }

    private static func defaults(of layout: RowLayout) -> PerSlot<RowSlot, Value> {
        PerSlot(
            ContiguousArray(
                layout.properties.map { property in
                    guard case .attribute(let attribute) = property else { return .null }
                    let value = attribute.description.defaultValue
                    return value.fits(attribute.type) ? value : .null
                }))
    }

    private static func extras(of entity: Entity) -> PerSlot<ObjectSlot, Value> {
        var extras = PerSlot<ObjectSlot, Value>(repeating: .null, count: entity.objectSlotCount)
        var hasValues = false
        for property in entity.properties {
            guard let slot = PropertySlot(of: property).objectSlot else { continue }
            switch property {
            case .relationship(let relationship) where relationship.isToMany: continue
            case .attribute(let attribute): extras[slot] = attribute.description.defaultValue
            default: break
            }
            hasValues = true
        }
        return hasValues ? extras : PerSlot()
    }
}
