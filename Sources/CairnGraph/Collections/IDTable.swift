import CairnModel

/// A number for each of many object IDs: open addressing with linear probing.
///
/// A dictionary hashes so well that nobody can choose keys which collide, and costs ten times as
/// much: 300 instructions a lookup and 800 an insertion, which a save pays several times for each
/// new object. A caller who chooses the keys can only make his own lookups slow.
struct IDTable {
    private struct Place {
        var key: Int64 = 0
        /// Store and root entity. 0 if the entry is free.
        var space: UInt64 = 0
        var number = 0
    }

    private var places: ContiguousArray<Place> = []
    private(set) var count = 0

    init() {}

    /// An empty table with room for as many IDs as that.
    init(minimumCapacity: Int) {
        guard minimumCapacity > 0 else { return }
        var capacity = 16
        while capacity * 3 < minimumCapacity * 4 { capacity *= 2 }
        places = ContiguousArray(repeating: Place(), count: capacity)
    }

    /// A table of IDs that all have the number 0: a set.
    init(_ ids: some Collection<ObjectID>) {
        self.init(minimumCapacity: ids.count)
        for id in ids { insert(id, 0) }
    }

    var isEmpty: Bool { count == 0 }

    /// The number of an ID. `nil` if it has no number.
    subscript(id: ObjectID) -> Int? {
        guard count > 0 else { return nil }
        let place = place(of: id.key, Self.space(of: id))
        return places[place].space == 0 ? nil : places[place].number
    }

    func contains(_ id: ObjectID) -> Bool { self[id] != nil }

    /// Gives an ID a number, unless it has one; says whether it had none.
    @discardableResult mutating func insert(_ id: ObjectID, _ number: Int) -> Bool {
        if (count + 1) * 4 > places.count * 3 { grow() }
        let space = Self.space(of: id)
        let place = place(of: id.key, space)
        guard places[place].space == 0 else { return false }
        places[place] = Place(key: id.key, space: space, number: number)
        count += 1
        return true
    }

    /// Takes an ID out, and says whether it was there.
    @discardableResult mutating func remove(_ id: ObjectID) -> Bool {
        guard count > 0 else { return false }
        var hole = place(of: id.key, Self.space(of: id))
        guard places[hole].space != 0 else { return false }
        count -= 1
        // IDs after the hole that were pushed past it move up, or they would not be found.
        var next = (hole + 1) & mask
        while places[next].space != 0 {
            let home = home(of: places[next].key, places[next].space)
            if (next &- home) & mask >= (next &- hole) & mask {
                places[hole] = places[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        places[hole] = Place()
        return true
    }

    private var mask: Int { places.count - 1 }

    /// Root entities count from 1, so that this is never 0.
    @inline(__always) private static func space(of id: ObjectID) -> UInt64 {
        UInt64(id.store.rawValue) << 16 | UInt64(id.rootEntity.rawValue)
    }

    @inline(__always) private func home(of key: Int64, _ space: UInt64) -> Int {
        let bits = (UInt64(bitPattern: key) ^ space << 40) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: bits >> 32) & mask
    }

    /// Where an ID stands, or would. Never full, so the walk ends.
    @inline(__always) private func place(of key: Int64, _ space: UInt64) -> Int {
        var place = home(of: key, space)
        while places[place].space != 0, places[place].key != key || places[place].space != space {
            place = (place + 1) & mask
        }
        return place
    }

    private mutating func grow() {
        let old = places
        places = ContiguousArray(repeating: Place(), count: max(16, old.count * 2))
        for entry in old where entry.space != 0 {
            places[place(of: entry.key, entry.space)] = entry
        }
    }
}
