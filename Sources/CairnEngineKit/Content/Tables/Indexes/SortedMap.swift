/// A map sorted by key. Its entries are in chunks, which copies share until one of them changes the
/// chunk.
///
/// Chunks are in groups. Copying a map costs nothing. The first change of a copy copies the list of
/// groups, the list of chunks in one group, and one chunk. A map of a million entries has about 60
/// groups of 64 chunks of 256 entries. Reading and changing an entry takes three binary searches.
/// Keys that are added in ascending order fill each chunk and each group.
package struct SortedMap<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    private struct Chunk: Sendable {
        var keys: ContiguousArray<Key>
        var values: ContiguousArray<Value>
    }

    /// Adjacent chunks. There is at least one.
    private struct Group: Sendable {
        var chunks: ContiguousArray<Chunk>
        /// The first key of each chunk.
        var firsts: ContiguousArray<Key>
    }

    /// Large enough that a million entries need only a few thousand chunks, and small enough that
    /// copying a chunk takes a microsecond.
    private static var chunkCapacity: Int { 256 }
    /// Small enough that copying the list of a group's chunks takes a microsecond.
    private static var groupCapacity: Int { 64 }

    private var groups: ContiguousArray<Group> = []
    /// The first key of each group.
    private var firsts: ContiguousArray<Key> = []
    /// The number of entries.
    package private(set) var count = 0

    package init() {}

    /// Creates a map with entries in ascending order.
    ///
    /// - Precondition: each key is greater than the previous key.
    package init(count: Int, key: (Int) -> Key, value: (Int) -> Value) {
        append(count: count, key: key, value: value)
    }

    /// Appends entries after all others, in new chunks. Meant for many entries at a time.
    ///
    /// - Precondition: each key is greater than the previous key.
    package mutating func append(count added: Int, key: (Int) -> Key, value: (Int) -> Value) {
        for start in stride(from: 0, to: added, by: Self.chunkCapacity) {
            let end = min(start + Self.chunkCapacity, added)
            var chunk = Chunk(keys: [], values: [])
            chunk.keys.reserveCapacity(end - start)
            chunk.values.reserveCapacity(end - start)
            for index in start..<end {
                chunk.keys.append(key(index))
                chunk.values.append(value(index))
            }
            append(chunk)
        }
        count += added
    }

    package var isEmpty: Bool { count == 0 }
    /// The entry with the greatest key, or `nil` if the map is empty.
    package var last: (key: Key, value: Value)? {
        guard let chunk = groups.last?.chunks.last, let key = chunk.keys.last,
            let value = chunk.values.last
        else { return nil }
        return (key, value)
    }

    /// Returns the value of a key, or `nil` if the key has no value.
    package subscript(key: Key) -> Value? {
        guard let position = position(for: key), hasEntry(position, for: key) else { return nil }
        return groups[position.group].chunks[position.chunk].values[position.index]
    }

    /// Returns the values of the keys, in the same order. Keys without a value are left out.
    ///
    /// For keys that are close together, a few comparisons replace the three searches.
    ///
    /// - Precondition: the keys are in ascending order.
    package func values(ofAscending keys: ArraySlice<Key>) -> [Value] {
        var found: [Value] = []
        found.reserveCapacity(keys.count)
        var rest = keys
        while let first = rest.first, let start = chunk(for: first) {
            let isLast = isLast(start)
            let chunk = groups[start.group].chunks[start.chunk]
            let (keys, values) = (chunk.keys, chunk.values)
            var index = 0
            // A key greater than all keys of this chunk may be in the next chunk, if there is one.
            while let key = rest.first, isLast || key <= keys[keys.count - 1] || key == first {
                rest = rest.dropFirst()
                // Double the step until it passes the key. For adjacent keys, that takes one
                // comparison.
                var step = 1
                while index + step < keys.count, keys[index + step] <= key {
                    index += step
                    step *= 2
                }
                index = Self.lowerBound(key, in: keys, index..<min(index + step, keys.count))
                if index < keys.count, keys[index] == key { found.append(values[index]) }
            }
        }
        return found
    }

    // MARK: Walking

    /// A position between two entries. Valid only in the map that returned it, until that map
    /// changes.
    package struct Position: Sendable {
        fileprivate var group: Int
        fileprivate var chunk: Int
        fileprivate var index: Int
    }

    /// The position before the first entry.
    package var start: Position { Position(group: 0, chunk: 0, index: 0) }

    /// The position after the last entry.
    package var end: Position { Position(group: groups.count, chunk: 0, index: 0) }

    /// Returns the position before the first entry whose key is greater than or equal to `key`.
    package func position(notBelow key: Key) -> Position {
        guard var position = position(for: key) else { return start }
        skipEnd(of: &position)
        return position
    }

    /// Returns the entry after the position, and moves the position past that entry. Returns `nil`
    /// at the end.
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

    /// Returns the key of the entry before the position, and moves the position before that entry. Returns
    /// `nil` at the start.
    package func previous(_ position: inout Position) -> Key? {
        while position.index == 0 {
            if position.chunk > 0 {
                position.chunk -= 1
            } else if position.group > 0 {
                position.group -= 1
                position.chunk = groups[position.group].chunks.count - 1
            } else {
                return nil
            }
            position.index = groups[position.group].chunks[position.chunk].keys.count
        }
        position.index -= 1
        return groups[position.group].chunks[position.chunk].keys[position.index]
    }

    /// Calls the body in order with each entry whose key is greater than or equal to `key`, until
    /// the body returns `false`. Costs half as much as calling ``next(_:)``, because it finds each
    /// chunk only once.
    @inline(__always)
    package func forEach(from key: Key, _ body: (Key, Value) -> Bool) {
        var position = position(notBelow: key)
        while position.group < groups.count {
            let chunk = groups[position.group].chunks[position.chunk]
            for index in position.index..<chunk.keys.count {
                guard body(chunk.keys[index], chunk.values[index]) else { return }
            }
            position.index = chunk.keys.count
            skipEnd(of: &position)
        }
    }

    /// Calls the body with the values after the position that are in one chunk, at least one. The
    /// body returns how many of them it used, and the position moves past these. Returns `nil` at
    /// the end.
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

    /// If a position is after the last entry of a chunk, moves it to the start of the next chunk.
    private func skipEnd(of position: inout Position) {
        let group = position.group
        guard position.index == groups[group].chunks[position.chunk].keys.count else { return }
        position.index = 0
        position.chunk += 1
        guard position.chunk == groups[group].chunks.count else { return }
        position.chunk = 0
        position.group += 1
    }

    /// Returns the number of entries whose keys are greater than or equal to `first`, and less than
    /// `end` unless `end` is `nil`. Takes one step for each chunk between the two keys, regardless
    /// of the number of entries.
    package func count(from first: Key, to end: Key?) -> Int {
        if let end, end <= first { return 0 }
        let start = position(notBelow: first)
        let end = end.map(position(notBelow:)) ?? self.end
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

    /// Returns the position, within the chunk for the key, before the first entry whose key is
    /// greater than or equal to `key`. If all keys of the chunk are less, the position is after the
    /// chunk's last entry. Returns `nil` if there are no chunks.
    private func position(for key: Key) -> Position? {
        guard var position = chunk(for: key) else { return nil }
        position.index = Self.lowerBound(
            key, in: groups[position.group].chunks[position.chunk].keys)
        return position
    }

    private func hasEntry(_ position: Position, for key: Key) -> Bool {
        let index = position.index
        let group = groups[position.group]
        return index < group.chunks[position.chunk].keys.count
            && group.chunks[position.chunk].keys[index] == key
    }

    /// Returns the start of the chunk that contains the key, or into which the key would be
    /// inserted. Returns `nil` if there are no chunks.
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

    /// Returns the index of the last key that is less than or equal to `key`, or 0 if all keys are
    /// greater.
    private static func lastIndex(notAbove key: Key, in keys: ContiguousArray<Key>) -> Int {
        let index = lowerBound(key, in: keys)
        if index < keys.count, keys[index] == key { return index }
        return max(index - 1, 0)
    }

    /// Returns the index of the first key that is greater than or equal to `key`, or the number of
    /// keys if all are less.
    private static func lowerBound(_ key: Key, in keys: ContiguousArray<Key>) -> Int {
        // Keys are usually added in ascending order. A look at the last key then saves the search.
        if let last = keys.last, last < key { return keys.count }
        return lowerBound(key, in: keys, 0..<keys.count)
    }

    /// Searches only the keys in a range. Returns the end of the range if all of them are less than
    /// `key`.
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
    /// Sets the value of a key. Returns the previous value, or `nil` if the key had no value.
    @discardableResult
    package mutating func set(_ value: Value, for key: Key) -> Value? {
        guard let position = position(for: key) else {
            append(Chunk(keys: [key], values: [value]))
            count += 1
            return nil
        }
        if hasEntry(position, for: key) {
            let old = groups[position.group].chunks[position.chunk].values[position.index]
            groups[position.group].chunks[position.chunk].values[position.index] = value
            return old
        }
        insert(value, for: key, at: position)
        count += 1
        return nil
    }

    /// Removes a key. Returns its value, or `nil` if the key had no value.
    @discardableResult
    package mutating func removeValue(for key: Key) -> Value? {
        guard let position = position(for: key), hasEntry(position, for: key) else { return nil }
        let (group, chunk) = (position.group, position.chunk)
        groups[group].chunks[chunk].keys.remove(at: position.index)
        let old = groups[group].chunks[chunk].values.remove(at: position.index)
        count -= 1
        if groups[group].chunks[chunk].keys.isEmpty {
            removeChunk(at: position)
        } else {
            if position.index == 0 { noteFirst(at: position) }
            mergeIfSmall(position)
        }
        return old
    }

    private mutating func insert(_ value: Value, for key: Key, at position: Position) {
        let (group, chunk) = (position.group, position.chunk)
        if groups[group].chunks[chunk].keys.count < Self.chunkCapacity {
            groups[group].chunks[chunk].keys.insert(key, at: position.index)
            groups[group].chunks[chunk].values.insert(value, at: position.index)
            if position.index == 0 { noteFirst(at: position) }
            return
        }
        if isLast(position), position.index == Self.chunkCapacity {
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
        insertChunk(upper, after: position)
        // Splitting has moved entries, so look up the position again. Its chunk has room now.
        if let position = self.position(for: key) { insert(value, for: key, at: position) }
    }

    // MARK: Chunks

    /// Appends a chunk after all others.
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

    private mutating func insertChunk(_ chunk: Chunk, after position: Position) {
        let group = position.group
        groups[group].firsts.insert(chunk.keys[0], at: position.chunk + 1)
        groups[group].chunks.insert(chunk, at: position.chunk + 1)
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

    private mutating func removeChunk(at position: Position) {
        let group = position.group
        groups[group].chunks.remove(at: position.chunk)
        groups[group].firsts.remove(at: position.chunk)
        if groups[group].chunks.isEmpty {
            groups.remove(at: group)
            firsts.remove(at: group)
        } else {
            firsts[group] = groups[group].firsts[0]
            mergeGroupIfSmall(group)
        }
    }

    /// Updates the stored first key of a chunk after it has changed.
    private mutating func noteFirst(at position: Position) {
        let first = groups[position.group].chunks[position.chunk].keys[0]
        groups[position.group].firsts[position.chunk] = first
        if position.chunk == 0 { firsts[position.group] = first }
    }

    /// Merges a chunk with the next one in its group, if both together fill at most half a chunk.
    private mutating func mergeIfSmall(_ position: Position) {
        let (group, chunk, next) = (position.group, position.chunk, position.chunk + 1)
        guard next < groups[group].chunks.count else { return }
        let added = groups[group].chunks[next]
        guard
            groups[group].chunks[chunk].keys.count + added.keys.count <= Self.chunkCapacity / 2
        else { return }
        groups[group].chunks[chunk].keys += added.keys
        groups[group].chunks[chunk].values += added.values
        removeChunk(at: Position(group: group, chunk: next, index: 0))
    }

    /// Merges a group with the next one, if both together fill at most half a group.
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
