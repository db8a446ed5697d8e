import CairnModel
import Synchronization

/// Keys that a store has recorded as taken, for new objects of later saves.
///
/// With them, a save packs its rows before it has the store's lock. Keys that are left when the store
/// is closed, or when the process is killed, are never used. Nobody takes spare keys as long as saves
/// do not wait for each other, so the keys of a single saver have no gaps.
final class SpareKeys: Sendable {
    /// How many keys of a root entity are taken at once.
    private static let blockSize = 1_000

    /// The keys of a root entity. An entity is listed as soon as a save has asked for its keys.
    private let ranges = Mutex<[EntityNumber: Range<Int64>]>([:])

    /// Takes keys, by root entity. Returns `nil`, and takes none, if there are not enough.
    func take(_ counts: [EntityNumber: Int]) -> [EntityNumber: Range<Int64>]? {
        ranges.withLock { ranges in
            var keys: [EntityNumber: Range<Int64>] = [:]
            for (root, count) in counts {
                let range = ranges[root, default: 0..<0]
                guard range.count >= count else {
                    // The next save that keeps others waiting takes keys of these entities.
                    for root in counts.keys where ranges[root] == nil { ranges[root] = 0..<0 }
                    return nil
                }
                keys[root] = range.lowerBound..<range.lowerBound + Int64(count)
            }
            for (root, taken) in keys {
                ranges[root] = taken.upperBound..<(ranges[root]?.upperBound ?? taken.upperBound)
            }
            return keys
        }
    }

    /// The number of keys to take for each root entity that has few.
    var wanted: [EntityNumber: Int] {
        ranges.withLock { ranges in
            ranges.filter { $0.value.count < Self.blockSize / 2 }
                .mapValues { _ in Self.blockSize }
        }
    }

    /// Gives up all keys, because another program may have used them.
    func giveUp() { ranges.withLock { $0 = $0.mapValues { _ in 0..<0 } } }

    /// Adds keys that a commit has recorded as taken. The few keys that were left of an entity are
    /// given up.
    func add(_ keys: [EntityNumber: Range<Int64>]) {
        ranges.withLock { $0.merge(keys) { _, new in new } }
    }
}
