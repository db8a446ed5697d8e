import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Synchronization

/// Keys that were reserved for this handle and that no object has yet. They are taken from the server in blocks, outside
/// of saves, so that savers do not wait for each other's commits. What a handle does not use is lost.
final class KeyBlocks: Sendable {
    private static let leastBlock = 256
    private static let mostRanges = 4

    /// The keys of one root entity.
    private struct Block: Sendable {
        var free: [Range<Int64>] = []
        /// The key after the greatest one that was reserved for this handle.
        var next: Int64 = 0
        /// How many keys were wanted last.
        var usual = 0

        mutating func take(_ count: Int) -> Range<Int64>? {
            guard let index = free.firstIndex(where: { $0.count >= count }) else { return nil }
            let start = free[index].lowerBound
            free[index] = (start + Int64(count))..<free[index].upperBound
            if free[index].isEmpty { free.remove(at: index) }
            return start..<(start + Int64(count))
        }

        mutating func add(_ range: Range<Int64>) {
            next = max(next, range.upperBound)
            guard !range.isEmpty else { return }
            free.append(range)
            if free.count > KeyBlocks.mostRanges { free.removeFirst() }
        }
    }

    private let blocks = Mutex<[EntityNumber: Block]>([:])

    /// Takes keys, or returns `nil` and takes none if there are too few.
    func take(_ counts: [EntityNumber: Int]) -> [EntityNumber: Range<Int64>]? {
        blocks.withLock { blocks in
            let before = blocks
            var taken: [EntityNumber: Range<Int64>] = [:]
            for (root, count) in counts where count > 0 {
                blocks[root, default: Block()].usual = count
                guard let range = blocks[root]?.take(count) else {
                    blocks = before
                    return nil
                }
                taken[root] = range
            }
            return taken
        }
    }

    /// Returns the statements that reserve keys, of which each takes effect at once and for good.
    ///
    /// - Parameter counts: how many keys of each root entity, by the store's numbers.
    static func reserving(
        _ counts: [(number: Int16, count: Int)], _ schema: StoreSchema
    ) -> [PostgresStatement] {
        counts.flatMap { number, count in
            [
                "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'",
                // The last key is never given out, so that the next one is always a number.
                PostgresStatement(
                    """
                    UPDATE \(schema.prefix)cairn_entities SET next_key = next_key + $2
                    WHERE number = $1 AND next_key <= 9223372036854775807 - $2 RETURNING next_key - $2, next_key
                    """, [.integer16(number), .integer(Int64(count))], endsUnit: true),
            ]
        }
    }

    /// Adds the keys that such a statement reserved. Returns whether it reserved any.
    @discardableResult
    func add(_ result: PostgresResult, of root: EntityNumber) -> Bool {
        guard let start = result.integer(0, 0, as: Int64.self),
            let end = result.integer(0, 1, as: Int64.self), 0 < start, start <= end
        else { return false }
        blocks.withLock { $0[root, default: Block()].add(start..<end) }
        return true
    }

    /// Returns how many keys to reserve with a save, so that the next one of the same size has them.
    func wanted() -> [(root: EntityNumber, count: Int)] {
        blocks.withLock { blocks in
            blocks.compactMap { root, block in
                block.usual > 0 && !block.free.contains { $0.count >= block.usual }
                    ? (root, Self.size(for: block.usual)) : nil
            }
        }
    }

    /// Returns the number of keys in a block, for saves that want `count` keys.
    static func size(for count: Int) -> Int { max(leastBlock, min(count, Int(Int32.max)) * 2) }

    /// Returns whether all of these keys were reserved for this handle. Gives up those that are free if not: every key
    /// must be greater than those in the store.
    func include(_ greatest: [EntityNumber: Int64]) -> Bool {
        blocks.withLock { blocks in
            var areReserved = true
            for (root, key) in greatest where key >= blocks[root]?.next ?? 0 {
                blocks[root]?.free = []
                areReserved = false
            }
            return areReserved
        }
    }

    /// Gives up the free keys, because an object has one of them.
    func giveUp() { blocks.withLock { for root in $0.keys { $0[root]?.free = [] } } }
}
