import CairnModel
import Foundation

/// What a row or object is sorted by: one part for each sort descriptor, then its ID.
///
/// Compare keys of one ``ObjectSorter`` only; ascending or descending is in them already.
public struct SortKey: Comparable {
    let parts: [SortPart]
    let id: ObjectID

    /// Whether the left one comes first: the first part that differs decides, at last the ID.
    public static func < (left: SortKey, right: SortKey) -> Bool {
        let order = left.order(beforeIDs: right)
        return order == 0 ? ValueOrder.order(left.id, right.id) < 0 : order < 0
    }

    /// Negative, zero or positive as this key comes before, with or after another. The IDs do not count.
    package func order(beforeIDs other: SortKey) -> Int {
        for (a, b) in zip(parts, other.parts) {
            let order = SortPart.order(a, b)
            if order != 0 { return order }
        }
        return 0
    }

    /// Whether both are of one object and every part compares as equal.
    public static func == (left: SortKey, right: SortKey) -> Bool {
        left.id == right.id
            && zip(left.parts, right.parts).allSatisfy { SortPart.order($0, $1) == 0 }
    }
}
