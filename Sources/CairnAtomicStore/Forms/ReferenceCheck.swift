import CairnModel
import CairnRows

/// Checks the destinations of to-one relationships that a codec has read. Every reference that a
/// save writes passes the check.
///
/// A reference may lead to an object without a row, because saves leave such references, too.
package struct ReferenceCheck: Sendable {
    private struct ToOne: Sendable {
        let slot: RowLayout.Slot
        let destinations: Range<EntityNumber>
        /// The names of the entity and the property, for errors.
        let name: String
    }

    /// Indexed by entity number minus 1.
    private let toOnes: [[ToOne]]

    /// Resolves the to-one relationships of all entities.
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

    /// Returns which to-one relationship of a row cannot have been saved, and why. Returns `nil` if
    /// all of them are valid.
    package func fault(in row: RowPointer) -> String? {
        for toOne in toOnes[Int(row.entity.rawValue) - 1] where !row.isNull(toOne.slot) {
            let id = row.objectID(toOne.slot, in: StoreNumber(rawValue: 0))
            if id.key < 1 {
                return "“\(toOne.name)” leads to the key \(id.key), which is not greater than 0"
            }
            if !toOne.destinations.contains(id.entity) {
                return "“\(toOne.name)” leads to an object of another entity"
            }
        }
        return nil
    }
}
