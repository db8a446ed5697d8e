import CairnModel
import CairnStack

/// The content of a new object that is transferred to the stored object with the same unique values.
///
/// It is read before the new object leaves its relationships, and transferred afterwards.
struct InsertedContent {
    private var values: [(name: String, value: Value)] = []
    private var transients: [(slot: ObjectSlot, value: Value)] = []
    /// Objects that refer to the new object, each with the relationship that does.
    private var leading: [(object: ManagedObject, relationship: RelationshipBinding)] = []
    /// Objects that the new object refers to by relationships without an inverse.
    private var destinations: [(object: ManagedObject, relationship: RelationshipBinding)] = []
    private let source: ManagedObject

    /// - Parameter handingOver: Whether the values and relationships of the object itself are
    ///   transferred. Otherwise, only the relationships that lead to the object are transferred.
    /// - Throws: `.store`, `.objectGone`.
    init(
        of object: ManagedObject, in context: ManagedObjectContext, handingOver: Bool
    ) throws(GraphError) {
        source = object
        let kind = object.kind
        for binding in kind.relationships where handingOver || binding.isStoredAtOtherEnd {
            for id in try LinkEditor(context).destinations(of: object, binding) {
                guard let other = context.registeredOrFault(id) else { continue }
                if let inverse = binding.inverse {
                    leading.append((other, inverse))
                } else {
                    destinations.append((other, binding))
                }
            }
        }
        transients = object.transientValues
        guard handingOver else { return }
        for slot in kind.layout.rowSlots {
            guard case .attribute(let attribute) = kind.layout.property(at: slot) else { continue }
            let value = try object.value(at: slot)
            // Values that equal the model's defaults, or that the class gave the object, were not set by the
            // program.
            let initial = object.overlay?.initialValue(at: slot) ?? kind.defaults[slot]
            if context.upsertsInitialValues || value != initial {
                values.append((attribute.name, value))
            }
        }
    }

    /// Sets the values of an object, and changes relationships to the new object so that they lead to the
    /// other object.
    ///
    /// - Throws: `.store`, `.objectGone`.
    func give(to target: ManagedObject, in context: ManagedObjectContext) throws(GraphError) {
        for (name, value) in values {
            guard let slot = target.kind.layout.slot(named: name) else { continue }
            try target.write(value, at: slot.rowSlot)
        }
        if target.kind === source.kind {
            for (slot, value) in transients { try target.write(value, atExtra: slot) }
        }
        for (other, relationship) in leading {
            guard let object = end(other, target, context) else { continue }
            try Self.relate(object, to: target, by: relationship, in: context)
        }
        for (other, relationship) in destinations {
            guard let object = end(other, target, context) else { continue }
            try Self.relate(target, to: object, by: relationship, in: context)
        }
    }

    private static func relate(
        _ owner: ManagedObject, to destination: ManagedObject,
        by relationship: RelationshipBinding, in context: ManagedObjectContext
    ) throws(GraphError) {
        if relationship.isToMany {
            try context.relations.add(destination, to: owner, relationship)
        } else {
            try context.relations.setDestination(destination, of: owner, relationship)
        }
    }

    /// Returns the object at the other end of a relationship, or the target if the new object referred
    /// to itself. Returns `nil` if the other object is being deleted or has left the context in the
    /// meantime.
    private func end(
        _ other: ManagedObject, _ target: ManagedObject, _ context: ManagedObjectContext
    ) -> ManagedObject? {
        if other === source { return target }
        return other.owner === context && !other.isDeleted ? other : nil
    }
}
