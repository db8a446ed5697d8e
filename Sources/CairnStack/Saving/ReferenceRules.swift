import CairnModel
import CairnRows

/// The relationships of a model whose references the coordinator keeps intact: those with an inverse. They
/// are looked up once, because a save looks at every row.
final class ReferenceRules: Sendable {
    /// A to-one relationship as a row stores it.
    struct Reference: Sendable {
        let slot: RowLayout.Slot
        let relationship: Relationship
        let inverse: Relationship

        var isOneToOne: Bool { !inverse.isToMany }
        /// Whether the objects that the relationship leads to need members.
        let inverseNeedsMembers: Bool
    }

    /// The slot of a reference. A plain value, because a save looks at the slots of every row.
    struct Mark: Sendable {
        let slot: RowLayout.Slot
        let isOneToOne: Bool
    }

    /// The to-one relationships of each entity, indexed by entity number minus 1.
    private let references: [[Reference]]
    /// The slots of ``references``, with the same indices.
    private let marks: [[Mark]]
    /// Whether the model has one-to-one relationships.
    let hasOneToOne: Bool
    /// The to-many relationships of each entity whose members store the reference.
    private let memberships: [[Relationship]]
    /// The many-to-many relationships of each entity whose inverse needs members.
    private let pairings: [[Relationship]]
    /// Whether a to-many relationship of the model needs members.
    let hasMinimums: Bool

    init(_ layouts: RowLayouts) {
        references = layouts.model.entities.map { entity in
            entity.relationships.compactMap { relationship in
                guard !relationship.isTransient, let inverse = relationship.inverse,
                    let slot = layouts.layout(of: entity).slot(named: relationship.name)
                else { return nil }
                return Reference(
                    slot: slot, relationship: relationship, inverse: inverse,
                    inverseNeedsMembers: inverse.needsMembers)
            }
        }
        marks = references.map { references in
            references.map { Mark(slot: $0.slot, isOneToOne: $0.isOneToOne) }
        }
        hasOneToOne = marks.contains { $0.contains(where: \.isOneToOne) }
        pairings = layouts.model.entities.map { entity in
            entity.relationships.filter { relationship in
                relationship.isToMany && !relationship.isTransient
                    && relationship.inverse.map { $0.isToMany && $0.needsMembers } == true
            }
        }
        hasMinimums = layouts.model.entities.contains { entity in
            entity.relationships.contains(where: \.needsMembers)
        }
        memberships = layouts.model.entities.map { entity in
            entity.relationships.filter {
                $0.isToMany && !$0.isTransient && $0.inverse?.isToMany == false
            }
        }
    }

    /// Returns the to-one relationships that the rows of an entity store.
    func references(of entity: EntityNumber) -> [Reference] {
        let index = Int(entity.rawValue) - 1
        return references.indices.contains(index) ? references[index] : []
    }

    /// Returns whether an entity has one-to-one relationships.
    func hasOneToOne(_ entity: EntityNumber) -> Bool {
        marks(of: entity).contains(where: \.isOneToOne)
    }

    /// Returns the slots of the to-one relationships that the rows of an entity store.
    func marks(of entity: EntityNumber) -> [Mark] {
        let index = Int(entity.rawValue) - 1
        return marks.indices.contains(index) ? marks[index] : []
    }

    /// Returns the to-many relationships of an entity that are stored only by their members.
    func memberships(of entity: EntityNumber) -> [Relationship] {
        let index = Int(entity.rawValue) - 1
        return memberships.indices.contains(index) ? memberships[index] : []
    }

    /// Returns the many-to-many relationships of an entity whose inverse needs members.
    func pairings(of entity: EntityNumber) -> [Relationship] {
        let index = Int(entity.rawValue) - 1
        return pairings.indices.contains(index) ? pairings[index] : []
    }
}

extension Relationship {
    /// Whether the relationship is a to-many that must have members.
    fileprivate var needsMembers: Bool {
        isToMany && !isTransient && description.minimumCount > 0
    }
}
