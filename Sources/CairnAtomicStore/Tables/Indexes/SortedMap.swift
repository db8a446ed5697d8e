/// A map in the order of its keys, in chunks that copies share until one of them changes.
///
/// Chunks stand in groups. Copying a map costs nothing; the first change of a copy copies the list
/// of groups, the list of one group's chunks, and one chunk. A map of a million entries has some 60
/// groups, of 64 chunks each, of 256 entries each. Reading and changing are three binary searches.
/// Keys that come in ascending order fill each chunk and each group.
package struct SortedMap<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    private struct Chunk: Sendable {
        var keys: ContiguousArray<Key>
        var values: ContiguousArray<Value>
    }

    /// Chunks that stand side by side, at least one.
    private struct Group: Sendable {
        var chunks: ContiguousArray<Chunk>
        /// The first key of each chunk.
        var firsts: ContiguousArray<Key>
    }

    /// Large enough that a million entries are some thousand chunks, small enough that copying
    /// one costs a microsecond.
    private static var chunkCapacity: Int { 256 }
    /// Small enough that copying the list of a group's chunks costs a microsecond.
    private static var groupCapacity: Int { 64 }

    private var groups: ContiguousArray<Group> = []
    /// The first key of each group.
    private var firsts: ContiguousArray<Key> = []
    /// How many entries there are.
    package private(set) var count = 0

    package init() {}

    /// A map of entries that come in ascending order.
    ///
    /// - Precondition: each key is above the one before.
    package init(count: Int, key: (Int) -> Key, value: (Int) -> Value) {
        append(count: count, key: key, value: value)
    }

    /// Adds entries after all others, in chunks of their own: for many at a time.
    ///
    /// - Precondition: each key is above the one before.
    package mutating func append(count added: Int, key: (Int) -> Key, value: (Int) -> Value) {
        for start in stride(from: 0, to: added, by: Self.chunkCapacity) {
            let end = min(start + Self.chunkCapacity, added)
            var chunk = Chunk(keys: [], values: [])
            chunk.keys.reserveCapacity(end - start)
            chunk.values.reserveCapacity(end - start)
            for place in start..<end {
                chunk.keys.append(key(place))
                chunk.values.append(value(place))
            }
            append(chunk)
        }
        count += added
    }

    package var isEmpty: Bool { count == 0 }
    /// The entry with the highest key. `nil` if the map is empty.
    package var last: (key: Key, value: Value)? {
        guard let chunk = groups.last?.chunks.last, let key = chunk.keys.last,
            let value = chunk.values.last
        else { return nil }
        return (key, value)
    }

    /// Returns the value of a key. Returns `nil` if it has none.
    package subscript(key: Key) -> Value? {
        guard let place = place(for: key), hasEntry(place, for: key) else { return nil }
        return groups[place.group].chunks[place.chunk].values[place.index]
    }

    /// Returns the values of keys, in their order. Keys without a value are left out.
    ///
    /// Keys that are near each other take a few comparisons instead of three searches.
    ///
    /// - Precondition: the keys ascend.
    package func values(ofAscending keys: ArraySlice<Key>) -> [Value] {
        var found: [Value] = []
        found.reserveCapacity(keys.count)
        var rest = keys
        while let first = rest.first, let start = chunk(for: first) {
            let isLast = isLast(start)
            let chunk = groups[start.group].chunks[start.chunk]
            let (keys, values) = (chunk.keys, chunk.values)
            var place = 0
            // A key above all of the chunk, other than of the last, may be in the next one.
            while let key = rest.first, isLast || key <= keys[keys.count - 1] || key == first {
                rest = rest.dropFirst()
                // The step doubles until it passes the key: neighbours take one comparison.
                var step = 1
                while place + step < keys.count, keys[place + step] <= key {
                    place += step
                    step *= 2
                }
                place = Self.lowerBound(key, in: keys, place..<min(place + step, keys.count))
                if place < keys.count, keys[place] == key { found.append(values[place]) }
            }
        }
        return found
    }

    // MARK: Walking

    /// A place between two entries. Means something only in the map that gave it, unchanged.
    package struct Position: Sendable {
        fileprivate var group: Int
        fileprivate var chunk: Int
        fileprivate var index: Int
    }

    /// The place before the first entry.
    package var start: Position { Position(group: 0, chunk: 0, index: 0) }

    /// The place after the last entry.
    private var end: Position { Position(group: groups.count, chunk: 0, index: 0) }

    /// Returns the place before the first entry whose key is not below the given one.
    package func position(notBelow key: Key) -> Position {
        guard var position = place(for: key) else { return start }
        skipEnd(of: &position)
        return position
    }

    /// Returns the entry after the place and moves the place after it. Returns `nil` at the end.
    package func next(_ position: inout Position) -> (key: Key, value: Value)? {
        guard position.group < groups.count else { return nil }
        let (group, chunk, index) = (position.group, position.chunk, position.index)
        let entry = (
            groups[group].chunks[chunk].keys[index], groups[group].chunks[chunk].values[index]
        )
        position.index += 1
        skipEnd(of: &position)
        return entry
    }

    /// Calls the body with each entry whose key is not below the given one, in order, until the body says
    /// `false`. Costs half of what ``next(_:)`` does, because it finds each chunk once.
    @inline(__always)
    package func forEach(from key: Key, _ body: (Key, Value) -> Bool) {
        var place = position(notBelow: key)
        while place.group < groups.count {
            let chunk = groups[place.group].chunks[place.chunk]
            for index in place.index..<chunk.keys.count {
                guard body(chunk.keys[index], chunk.values[index]) else { return }
            }
            place.index = chunk.keys.count
            skipEnd(of: &place)
        }
    }

    /// Calls the body with the values after the place that stand side by side, at least one, and
    /// moves the place after as many as the body says it used. `nil` at the end.
    package func withRun<Failure: Error>(
        from position: inout Position,
        _ body: (UnsafeBufferPointer<Value>) throws(Failure) -> Int
    ) throws(Failure) -> Int? {
        guard position.group < groups.count else { return nil }
        let start = position.index
        let values = groups[position.group].chunks[position.chunk].values
        let used = try values.withUnsafeBufferPointer { values throws(Failure) in
            try body(UnsafeBufferPointer(rebasing: values[start...]))
        }
        position.index += used
        skipEnd(of: &position)
        return used
    }

    /// Moves a place after the last entry of a chunk to the start of the next chunk.
    private func skipEnd(of position: inout Position) {
        let group = position.group
        guard position.index == groups[group].chunks[position.chunk].keys.count else { return }
        position.index = 0
        position.chunk += 1
        guard position.chunk == groups[group].chunks.count else { return }
        position.chunk = 0
        position.group += 1
    }

    /// Returns how many entries have keys from the first one on, and below the end; without an end, all of
    /// them. Costs a step for each chunk between the two, and none for an entry.
    package func count(from first: Key, to end: Key?) -> Int {
        if let end, end <= first { return 0 }
        let start = position(notBelow: first)
        let end = end.map(position) ?? self.end
        guard (start.group, start.chunk) < (end.group, end.chunk) else {
            return end.index - start.index
        }
        var whole = 0
        for group in start.group..<min(end.group + 1, groups.count) {
            let from = group == start.group ? start.chunk : 0
            let to = group == end.group ? end.chunk : groups[group].chunks.count
            for chunk in from..<to { whole += groups[group].chunks[chunk].keys.count }
        }
        return whole - start.index + end.index
    }

    // MARK: Searching

    /// The place of the key: before the first entry of its chunk whose key is not below. The place is
    /// after the chunk's last entry if all are below. `nil` if there is no chunk.
    private func place(for key: Key) -> Position? {
        guard var place = chunk(for: key) else { return nil }
        place.index = Self.lowerBound(key, in: groups[place.group].chunks[place.chunk].keys)
        return place
    }

    private func hasEntry(_ place: Position, for key: Key) -> Bool {
        let index = place.index
        let group = groups[place.group]
        return index < group.chunks[place.chunk].keys.count
            && group.chunks[place.chunk].keys[index] == key
    }

    /// The start of the chunk that holds the key or would take it. `nil` if there is no chunk.
    private func chunk(for key: Key) -> Position? {
        if firsts.isEmpty { return nil }
        let group = Self.lastIndex(notAbove: key, in: firsts)
        let chunk = Self.lastIndex(notAbove: key, in: groups[group].firsts)
        return Position(group: group, chunk: chunk, index: 0)
    }

    private func isLast(_ position: Position) -> Bool {
        position.group + 1 == groups.count
            && position.chunk + 1 == groups[position.group].chunks.count
    }

    /// The index of the last key that is not above the given one; 0 where all are above.
    private static func lastIndex(notAbove key: Key, in keys: ContiguousArray<Key>) -> Int {
        let index = lowerBound(key, in: keys)
        if index < keys.count, keys[index] == key { return index }
        return max(index - 1, 0)
    }

    /// The index of the first key that is not below the given one; the count where all are.
    private static func lowerBound(_ key: Key, in keys: ContiguousArray<Key>) -> Int {
        // Ascending keys are the usual case: a look at the end saves the search.
        if let last = keys.last, last < key { return keys.count }
        return lowerBound(key, in: keys, 0..<keys.count)
    }

    /// The same among the keys of a range; its end if all of them are below.
    private static func lowerBound(
        _ key: Key, in keys: ContiguousArray<Key>, _ range: Range<Int>
    ) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// MARK: Changing

extension SortedMap {
    /// Sets the value of a key and returns the one it had.
    @discardableResult
    package mutating func set(_ value: Value, for key: Key) -> Value? {
        guard let place = place(for: key) else {
            append(Chunk(keys: [key], values: [value]))
            count += 1
            return nil
        }
        if hasEntry(place, for: key) {
            let old = groups[place.group].chunks[place.chunk].values[place.index]
            groups[place.group].chunks[place.chunk].values[place.index] = value
            return old
        }
        insert(value, for: key, at: place)
        count += 1
        return nil
    }

    /// Removes a key and returns the value it had. `nil` if it had none.
    @discardableResult
    package mutating func removeValue(for key: Key) -> Value? {
        guard let place = place(for: key), hasEntry(place, for: key) else { return nil }
        let (group, chunk) = (place.group, place.chunk)
        groups[group].chunks[chunk].keys.remove(at: place.index)
        let old = groups[group].chunks[chunk].values.remove(at: place.index)
        count -= 1
        if groups[group].chunks[chunk].keys.isEmpty {
            removeChunk(at: place)
        } else {
            if place.index == 0 { noteFirst(at: place) }
            mergeIfSmall(place)
        }
        return old
    }

    private mutating func insert(_ value: Value, for key: Key, at place: Position) {
        let (group, chunk) = (place.group, place.chunk)
        if groups[group].chunks[chunk].keys.count < Self.chunkCapacity {
            groups[group].chunks[chunk].keys.insert(key, at: place.index)
            groups[group].chunks[chunk].values.insert(value, at: place.index)
            if place.index == 0 { noteFirst(at: place) }
            return
        }
        if isLast(place), place.index == Self.chunkCapacity {
            append(Chunk(keys: [key], values: [value]))
            return
        }
        let half = Self.chunkCapacity / 2
        let full = groups[group].chunks[chunk]
        let upper = Chunk(
            keys: ContiguousArray(full.keys[half...]), values: ContiguousArray(full.values[half...])
        )
        groups[group].chunks[chunk].keys.removeSubrange(half...)
        groups[group].chunks[chunk].values.removeSubrange(half...)
        insertChunk(upper, after: place)
        // Splitting has moved chunks: the place is looked for again, among chunks with room.
        if let place = self.place(for: key) { insert(value, for: key, at: place) }
    }

    // MARK: Chunks

    /// Adds a chunk after all others.
    private mutating func append(_ chunk: Chunk) {
        let last = groups.count - 1
        if last < 0 || groups[last].chunks.count == Self.groupCapacity {
            groups.append(Group(chunks: [chunk], firsts: [chunk.keys[0]]))
            firsts.append(chunk.keys[0])
        } else {
            groups[last].chunks.append(chunk)
            groups[last].firsts.append(chunk.keys[0])
        }
    }

    private mutating func insertChunk(_ chunk: Chunk, after place: Position) {
        let group = place.group
        groups[group].firsts.insert(chunk.keys[0], at: place.chunk + 1)
        groups[group].chunks.insert(chunk, at: place.chunk + 1)
        guard groups[group].chunks.count > Self.groupCapacity else { return }
        let half = Self.groupCapacity / 2
        let upper = Group(
            chunks: ContiguousArray(groups[group].chunks[half...]),
            firsts: ContiguousArray(groups[group].firsts[half...]))
        groups[group].chunks.removeSubrange(half...)
        groups[group].firsts.removeSubrange(half...)
        firsts.insert(upper.firsts[0], at: group + 1)
        groups.insert(upper, at: group + 1)
    }

    private mutating func removeChunk(at place: Position) {
        let group = place.group
        groups[group].chunks.remove(at: place.chunk)
        groups[group].firsts.remove(at: place.chunk)
        if groups[group].chunks.isEmpty {
            groups.remove(at: group)
            firsts.remove(at: group)
        } else {
            firsts[group] = groups[group].firsts[0]
            mergeGroupIfSmall(group)
        }
    }

    /// Notes the first key of a chunk, which has changed.
    private mutating func noteFirst(at place: Position) {
        let first = groups[place.group].chunks[place.chunk].keys[0]
        groups[place.group].firsts[place.chunk] = first
        if place.chunk == 0 { firsts[place.group] = first }
    }

    /// Joins a chunk with the next one of its group where both together are half full at most.
    private mutating func mergeIfSmall(_ place: Position) {
        let (group, chunk, next) = (place.group, place.chunk, place.chunk + 1)
        guard next < groups[group].chunks.count else { return }
        let added = groups[group].chunks[next]
        guard
            groups[group].chunks[chunk].keys.count + added.keys.count <= Self.chunkCapacity / 2
        else { return }
        groups[group].chunks[chunk].keys += added.keys
        groups[group].chunks[chunk].values += added.values
        removeChunk(at: Position(group: group, chunk: next, index: 0))
    }

    /// Joins a group with the next one where both together are half full at most.
    private mutating func mergeGroupIfSmall(_ group: Int) {
        let next = group + 1
        guard next < groups.count,
            groups[group].chunks.count + groups[next].chunks.count <= Self.groupCapacity / 2
        else { return }
        let added = groups.remove(at: next)
        groups[group].chunks += added.chunks
        groups[group].firsts += added.firsts
        firsts.remove(at: next)
    }
}
