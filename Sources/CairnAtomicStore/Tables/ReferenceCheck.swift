import CairnModel
import CairnStore

/// Checks where to-ones that a codec has read lead: a save only writes references that pass.
///
/// A reference may lead to an object that has no row: a save leaves such references, too.
package struct ReferenceCheck: Sendable {
    private struct ToOne: Sendable {
        let slot: RowLayout.Slot
        let destinations: Range<EntityNumber>
        /// The entity and the property.
        let name: String
    }

    /// By entity number, from 1 at index 0.
    private let toOnes: [[ToOne]]

    /// Resolves the to-ones of all entities.
    package init(_ layouts: RowLayouts) {
        toOnes = layouts.model.entities.map { entity in
            let layout = layouts.layout(of: entity)
            return zip(layout.properties, layout.slots).compactMap { property, slot in
                guard case .relationship(let relationship) = property else { return nil }
                return ToOne(
                    slot: slot, destinations: relationship.destination.hierarchyNumbers,
                    name: "\(entity.name).\(relationship.name)")
            }
        }
    }

    /// Says which to-one of a row cannot be what was saved. Returns `nil` if all of them can.
    package func fault(in row: RowPointer) -> String? {
        for toOne in toOnes[Int(row.entity.rawValue) - 1] where !row.isNull(toOne.slot) {
            let id = row.objectID(toOne.slot, in: StoreNumber(rawValue: 0))
            if id.key < 1 { return "“\(toOne.name)” leads to the key \(id.key)" }
            if !toOne.destinations.contains(id.entity) {
                return "“\(toOne.name)” leads to an object of another entity"
            }
        }
        return nil
    }
}
