import CairnModel
import Synchronization

/// Keys that a store has recorded as taken, for new objects of later saves.
///
/// With them, a save packs its rows before it has the store's lock, and does not write what was taken.
/// Keys that are left when the store is closed, or when the process is killed, are never used: at most as
/// many as the program has used of the entity, or a block if saves have waited for each other.
final class SpareKeys: Sendable {
    /// The most keys of a root entity that are taken for later saves.
    private static let blockSize = 1_000

    /// The keys of a root entity. An entity is listed as soon as a save has asked for its keys.
    private struct Keys {
        var free: Range<Int64> = 0..<0
        /// How many keys saves have asked for.
        var askedCount = 0
    }
    private let keys = Mutex<[EntityNumber: Keys]>([:])

    /// Takes keys, by root entity. Returns `nil`, and takes none, if there are not enough.
    func take(_ counts: [EntityNumber: Int]) -> [EntityNumber: Range<Int64>]? {
        keys.withLock { keys in
            for (root, count) in counts { keys[root, default: Keys()].askedCount += count }
            var taken: [EntityNumber: Range<Int64>] = [:]
            for (root, count) in counts {
                guard let free = keys[root]?.free, free.count >= count else { return nil }
                taken[root] = free.lowerBound..<free.lowerBound + Int64(count)
            }
            for (root, range) in taken {
                let end = keys[root]?.free.upperBound ?? range.upperBound
                keys[root]?.free = range.upperBound..<end
            }
            return taken
        }
    }

    /// The number of keys that a save takes for later ones, for each root entity, besides those that it takes
    /// for its own new objects because ``take(_:)`` had too few.
    ///
    /// - Parameter othersWait: Whether other saves wait for this one.
    func wanted(besides counts: [EntityNumber: Int], othersWait: Bool) -> [EntityNumber: Int] {
        keys.withLock { keys in
            if othersWait {
                return keys.filter { $0.value.free.count < Self.blockSize / 2 }
                    .mapValues { _ in Self.blockSize }
            }
            var wanted: [EntityNumber: Int] = [:]
            for (root, count) in counts {
                let earlier = (keys[root]?.askedCount ?? 0) - count
                if earlier > 0 { wanted[root] = min(earlier, Self.blockSize) }
            }
            return wanted
        }
    }

    /// Gives up all keys, because another program may have used them.
    func giveUp() { keys.withLock { $0 = [:] } }

    /// Adds keys that a commit has recorded as taken. The few keys that were left of an entity are
    /// given up.
    func add(_ spare: [EntityNumber: Range<Int64>]) {
        if spare.isEmpty { return }
        keys.withLock { keys in
            for (root, range) in spare { keys[root, default: Keys()].free = range }
        }
    }
}
