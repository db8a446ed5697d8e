import CairnModel
import Foundation

/// The key by which a row or object is sorted: one part for each sort key of the order, followed by
/// the ID.
///
/// Compare only keys of the same ``ObjectSorter``. Whether the order is ascending or descending is
/// already part of the keys.
package struct SortKey: Comparable {
    let parts: [SortPart]
    let id: ObjectID

    /// Returns whether the left key comes first. The first part that differs decides. If all parts
    /// are equal, the ID decides.
    package static func < (left: SortKey, right: SortKey) -> Bool {
        let order = left.order(beforeIDs: right)
        return order == 0 ? ValueOrder.order(left.id, right.id) < 0 : order < 0
    }

    /// Compares two keys without the IDs. The result is negative, zero or positive if this key
    /// comes before, together with or after the other.
    package func order(beforeIDs other: SortKey) -> Int {
        for (a, b) in zip(parts, other.parts) {
            let order = SortPart.order(a, b)
            if order != 0 { return order }
        }
        return 0
    }

    /// Returns whether both keys are of the same object and all parts are equal.
    package static func == (left: SortKey, right: SortKey) -> Bool {
        left.id == right.id
            && zip(left.parts, right.parts).allSatisfy { SortPart.order($0, $1) == 0 }
    }
}
