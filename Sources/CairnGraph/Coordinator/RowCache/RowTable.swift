import CairnModel
import CairnStore

/// Rows of one store by root entity and key: open addressing with linear probing.
///
/// A dictionary keyed by a struct costs ten times a lookup here.
struct RowTable {
    struct Entry {
        var key: Int64
        var root: EntityNumber
        /// The state of the store that the row was read from.
        var generation: StoreGeneration
        var row: Row
    }

    private var places: ContiguousArray<Entry?> = []
    private(set) var count = 0

    /// Returns the entry of an ID; nil where there is none.
    func entry(root: EntityNumber, key: Int64) -> Entry? {
        guard !places.isEmpty else { return nil }
        return places[place(root: root, key: key)]
    }

    /// Adds an entry, in place of the one of the same ID.
    mutating func insert(_ entry: Entry) {
        if (count + 1) * 4 > places.count * 3 { grow() }
        let place = place(root: entry.root, key: entry.key)
        if places[place] == nil { count += 1 }
        places[place] = entry
    }

    /// Removes the entry of an ID, if there is one.
    mutating func remove(root: EntityNumber, key: Int64) {
        guard !places.isEmpty else { return }
        var hole = place(root: root, key: key)
        guard places[hole] != nil else { return }
        places[hole] = nil
        count -= 1
        // Entries behind the hole that were pushed past it move up, or they would not be found.
        var next = (hole + 1) & mask
        while let entry = places[next] {
            let home = home(root: entry.root, key: entry.key)
            if (next &- home) & mask >= (next &- hole) & mask {
                places[hole] = entry
                places[next] = nil
                hole = next
            }
            next = (next + 1) & mask
        }
    }

    private var mask: Int { places.count - 1 }

    private func home(root: EntityNumber, key: Int64) -> Int {
        let bits = (UInt64(bitPattern: key) ^ UInt64(root.rawValue) << 48) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: bits >> 32) & mask
    }

    /// Where the entry of an ID stands, or would.
    private func place(root: EntityNumber, key: Int64) -> Int {
        var place = home(root: root, key: key)
        while let entry = places[place], entry.key != key || entry.root != root {
            place = (place + 1) & mask
        }
        return place
    }

    private mutating func grow() {
        let entries = places
        places = ContiguousArray(repeating: nil, count: max(16, entries.count * 2))
        for case let entry? in entries { places[place(root: entry.root, key: entry.key)] = entry }
    }
}
