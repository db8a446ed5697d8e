import Foundation

/// The new positions of the bits in `ZCOLUMNS` for one entity. Each bit stands for a column or a
/// to-many relationship.
struct BitMoves {
    private var targets: [Int: Int] = [:]
    private let byteCount: Int
    /// Whether all bitmaps stay unchanged.
    let keepsAll: Bool

    /// - Parameters:
    ///   - columns: The old and new names of the columns that are kept, in upper case.
    ///   - toManys: The old and new names of the to-many relationships that are kept.
    init(
        before: ChangeMap, after: ChangeMap, columns: [(old: String, new: String)],
        toManys: [(old: String, new: String)]
    ) {
        for (old, new) in columns {
            guard let from = before.bitsByColumn[old], let to = after.bitsByColumn[new] else {
                continue
            }
            targets[from] = to
        }
        for (old, new) in toManys {
            guard let from = before.bitsByToMany[old], let to = after.bitsByToMany[new] else {
                continue
            }
            targets[from] = to
        }
        byteCount = after.byteCount
        let count = before.bitsByColumn.count + before.bitsByToMany.count
        keepsAll =
            before.byteCount == after.byteCount && targets.count == count
            && targets.allSatisfy { $0.key == $0.value }
    }

    /// Returns the bitmap for the new version.
    func moved(_ bits: Data) -> Data {
        let old = Array(bits)
        var new = Data(count: byteCount)
        for (from, to) in targets {
            guard from / 8 < old.count, old[from / 8] & (0x80 >> UInt8(from % 8)) != 0 else {
                continue
            }
            new[to / 8] |= 0x80 >> UInt8(to % 8)
        }
        return new
    }
}
