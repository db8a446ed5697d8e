import CairnModel
import CairnStore

/// Rows of one store by root entity and key: open addressing with linear probing.
///
/// A dictionary keyed by a struct costs ten times a lookup here. Probing reads keys only, which
/// need no reference counting; the row is touched once it is found.
struct RowTable {
    /// What probing compares, and the state of the store that the row was read from.
    private struct Place {
        var key: Int64 = 0
        /// 0: the place is free.
        var root: UInt16 = 0
        var generation = StoreGeneration(0)
    }

    private var places: ContiguousArray<Place> = []
    private var rows: ContiguousArray<Row?> = []
    private(set) var count = 0

    /// Returns the row of an ID; nil where there is none, or only one of a newer state.
    ///
    /// - Parameter generation: the newest state the row may be from; nil: any.
    func row(for id: ObjectID, asOf generation: StoreGeneration? = nil) -> Row? {
        guard count > 0 else { return nil }
        let place = place(root: id.rootEntity.rawValue, key: id.key)
        if let generation, places[place].generation > generation { return nil }
        return rows[place]
    }

    /// Returns the state that the row of an ID was read from; nil where there is none.
    func generation(of id: ObjectID) -> StoreGeneration? {
        guard count > 0 else { return nil }
        let place = place(root: id.rootEntity.rawValue, key: id.key)
        return places[place].root == 0 ? nil : places[place].generation
    }

    /// Adds a row, in place of the one of the same ID.
    mutating func insert(_ row: Row, from generation: StoreGeneration) {
        if (count + 1) * 4 > places.count * 3 { grow() }
        let place = place(root: row.rootEntity.rawValue, key: row.key)
        if places[place].root == 0 { count += 1 }
        places[place] = Place(
            key: row.key, root: row.rootEntity.rawValue, generation: generation)
        rows[place] = row
    }

    /// Removes the row of an ID, if there is one.
    mutating func remove(_ id: ObjectID) {
        guard count > 0 else { return }
        var hole = place(root: id.rootEntity.rawValue, key: id.key)
        guard places[hole].root != 0 else { return }
        empty(hole)
        count -= 1
        // Rows behind the hole that were pushed past it move up, or they would not be found.
        var next = (hole + 1) & mask
        while places[next].root != 0 {
            let home = home(root: places[next].root, key: places[next].key)
            if (next &- home) & mask >= (next &- hole) & mask {
                places[hole] = places[next]
                rows[hole] = rows[next]
                empty(next)
                hole = next
            }
            next = (next + 1) & mask
        }
    }

    private mutating func empty(_ place: Int) {
        places[place] = Place()
        rows[place] = nil
    }

    private var mask: Int { places.count - 1 }

    private func home(root: UInt16, key: Int64) -> Int {
        let bits = (UInt64(bitPattern: key) ^ UInt64(root) << 48) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: bits >> 32) & mask
    }

    /// Where the row of an ID stands, or would. Never full, so the walk ends.
    private func place(root: UInt16, key: Int64) -> Int {
        var place = home(root: root, key: key)
        while places[place].root != 0, places[place].key != key || places[place].root != root {
            place = (place + 1) & mask
        }
        return place
    }

    private mutating func grow() {
        let (oldPlaces, oldRows) = (places, rows)
        let capacity = max(16, oldPlaces.count * 2)
        places = ContiguousArray(repeating: Place(), count: capacity)
        rows = ContiguousArray(repeating: nil, count: capacity)
        for index in oldPlaces.indices where oldPlaces[index].root != 0 {
            let place = place(root: oldPlaces[index].root, key: oldPlaces[index].key)
            places[place] = oldPlaces[index]
            rows[place] = oldRows[index]
        }
    }
}
