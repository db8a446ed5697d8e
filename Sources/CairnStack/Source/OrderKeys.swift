import CairnModel

/// Assigns order keys to the members of an ordered relationship.
///
/// The keys are those of Core Data: the first member has 2048, and each following member 1024 more. A
/// member that is inserted between two others gets the middle of their keys. Members that were not moved
/// keep their keys. If no key is left between two members, all members are renumbered.
package enum OrderKeys {
    static let first: Int64 = 2048
    static let step: Int64 = 1024

    /// Returns the key of each member.
    ///
    /// - Parameter stored: The keys that the members have now.
    package static func assign(_ members: [ObjectID], stored: [ObjectID: Int64]) -> [ObjectID:
        Int64]
    {
        let known = members.map { stored[$0] }
        var keys = known
        let kept = longestIncreasingSubsequence(known)
        for index in keys.indices where !kept.contains(index) { keys[index] = nil }
        guard fillGaps(&keys) else { return renumbered(members) }
        var result: [ObjectID: Int64] = [:]
        for (id, key) in zip(members, keys) { result[id] = key ?? 0 }
        return result
    }

    private static func renumbered(_ members: [ObjectID]) -> [ObjectID: Int64] {
        var result: [ObjectID: Int64] = [:]
        for (index, id) in members.enumerated() { result[id] = first + step * Int64(index) }
        return result
    }

    /// Returns the indices of the longest subsequence with increasing keys. All other members were moved.
    private static func longestIncreasingSubsequence(_ keys: [Int64?]) -> Set<Int> {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: keys.count)
        for (index, key) in keys.enumerated() {
            guard let key else { continue }
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if (keys[tails[middle]] ?? 0) < key { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? tails[low - 1] : -1
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var run: Set<Int> = []
        var index = tails.last ?? -1
        while index >= 0 {
            run.insert(index)
            index = previous[index]
        }
        return run
    }

    /// Assigns keys to the members without one. Returns `false` if a gap is too small.
    private static func fillGaps(_ keys: inout [Int64?]) -> Bool {
        var index = 0
        while index < keys.count {
            guard keys[index] == nil else {
                index += 1
                continue
            }
            var end = index
            while end < keys.count, keys[end] == nil { end += 1 }
            let left = index > 0 ? keys[index - 1] : nil
            let right = end < keys.count ? keys[end] : nil
            guard fill(&keys, index..<end, left: left, right: right) else { return false }
            index = end
        }
        return true
    }

    private static func fill(
        _ keys: inout [Int64?], _ gap: Range<Int>, left: Int64?, right: Int64?
    ) -> Bool {
        guard let right else {
            let start = left ?? first - step
            guard start < Int64.max - step * Int64(gap.count + 1) else { return false }
            for (number, index) in gap.enumerated() {
                keys[index] = start + step * Int64(number + 1)
            }
            return true
        }
        let start = left ?? 0
        let (width, overflows) = right.subtractingReportingOverflow(start)
        let parts = Int64(gap.count + 1)
        guard !overflows, width >= parts else { return false }
        for (number, index) in gap.enumerated() {
            keys[index] = start + width / parts * Int64(number + 1)
        }
        return true
    }
}
