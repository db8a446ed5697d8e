import CairnModel

/// A hash table from object IDs to numbers, with open addressing and linear probing.
///
/// A dictionary costs ten times as much (300 instructions for a lookup and 800 for an insertion),
/// because its hashing prevents attackers from choosing keys that collide. A save would pay this several
/// times for each new object. With this table, a caller that chooses colliding keys only makes its own
/// lookups slow.
package struct IDTable {
    private struct Entry {
        var key: Int64 = 0
        /// The store and root entity. 0 if the entry is free.
        var space: UInt64 = 0
        var number = 0
    }

    private var entries: ContiguousArray<Entry> = []
    private(set) var count = 0

    package init() {}

    /// Creates an empty table with room for `minimumCapacity` IDs.
    package init(minimumCapacity: Int) {
        guard minimumCapacity > 0 else { return }
        var capacity = 16
        while capacity * 3 < minimumCapacity * 4 { capacity *= 2 }
        entries = ContiguousArray(repeating: Entry(), count: capacity)
    }

    /// Creates a table that maps all of `ids` to 0, for use as a set.
    package init(_ ids: some Collection<ObjectID>) {
        self.init(minimumCapacity: ids.count)
        for id in ids { insert(id, 0) }
    }

    package var isEmpty: Bool { count == 0 }

    /// The number of an ID, or `nil` if the table does not contain the ID.
    package subscript(id: ObjectID) -> Int? {
        guard count > 0 else { return nil }
        let index = index(of: id.key, Self.space(of: id))
        return entries[index].space == 0 ? nil : entries[index].number
    }

    package func contains(_ id: ObjectID) -> Bool { self[id] != nil }

    /// Inserts an ID with a number, unless the table already contains the ID. Returns whether the ID was
    /// inserted.
    @discardableResult package mutating func insert(_ id: ObjectID, _ number: Int)
        -> Bool
    {
        if (count + 1) * 4 > entries.count * 3 { grow() }
        let space = Self.space(of: id)
        let index = index(of: id.key, space)
        guard entries[index].space == 0 else { return false }
        entries[index] = Entry(key: id.key, space: space, number: number)
        count += 1
        return true
    }

    /// Removes an ID. Returns whether the table contained the ID.
    @discardableResult package mutating func remove(_ id: ObjectID) -> Bool {
        guard count > 0 else { return false }
        var hole = index(of: id.key, Self.space(of: id))
        guard entries[hole].space != 0 else { return false }
        count -= 1
        // Move later IDs of the same probe sequence into the hole. Lookups would stop at the hole
        // otherwise.
        var next = (hole + 1) & mask
        while entries[next].space != 0 {
            let home = home(of: entries[next].key, entries[next].space)
            if (next &- home) & mask >= (next &- hole) & mask {
                entries[hole] = entries[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        entries[hole] = Entry()
        return true
    }

    private var mask: Int { entries.count - 1 }

    /// Never 0, because the numbers of root entities begin with 1.
    @inline(__always) private static func space(of id: ObjectID) -> UInt64 {
        UInt64(id.store.rawValue) << 16 | UInt64(id.rootEntity.rawValue)
    }

    @inline(__always) private func home(of key: Int64, _ space: UInt64) -> Int {
        let bits = (UInt64(bitPattern: key) ^ space << 40) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: bits >> 32) & mask
    }

    /// Returns the index of an ID's entry, or of the free entry in which the ID would be inserted. The
    /// search ends because the table is never full.
    @inline(__always) private func index(of key: Int64, _ space: UInt64) -> Int {
        var index = home(of: key, space)
        while entries[index].space != 0, entries[index].key != key || entries[index].space != space
        {
            index = (index + 1) & mask
        }
        return index
    }

    private mutating func grow() {
        let old = entries
        entries = ContiguousArray(repeating: Entry(), count: max(16, old.count * 2))
        for entry in old where entry.space != 0 {
            entries[index(of: entry.key, entry.space)] = entry
        }
    }
}
