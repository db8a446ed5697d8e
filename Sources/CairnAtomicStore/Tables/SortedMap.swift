/// A map in the order of its keys, in chunks that copies share until one of them changes.
///
/// Copying a map costs nothing; the first change of a copy copies the list of chunks and the one
/// chunk it touches. Reading and changing are two binary searches. Keys that come in ascending
/// order fill each chunk.
package struct SortedMap<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    private struct Chunk: Sendable {
        var keys: ContiguousArray<Key>
        var values: ContiguousArray<Value>
    }

    /// Large enough that a million entries are some thousand chunks, small enough that copying
    /// one costs a microsecond.
    private static var chunkCapacity: Int { 256 }

    private var chunks: ContiguousArray<Chunk> = []
    /// The first key of each chunk.
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

    /// Adds entries behind all others, in chunks of their own: for many at a time.
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
            chunks.append(chunk)
            firsts.append(key(start))
        }
        count += added
    }

    package var isEmpty: Bool { count == 0 }
    /// The entry with the highest key; nil where the map is empty.
    package var last: (key: Key, value: Value)? {
        guard let chunk = chunks.last, let key = chunk.keys.last, let value = chunk.values.last
        else { return nil }
        return (key, value)
    }

    /// Returns the value of a key; nil where it has none.
    package subscript(key: Key) -> Value? {
        guard let chunk = chunkIndex(for: key) else { return nil }
        let index = Self.lowerBound(key, in: chunks[chunk].keys)
        guard index < chunks[chunk].keys.count, chunks[chunk].keys[index] == key else {
            return nil
        }
        return chunks[chunk].values[index]
    }

    /// Returns the values of keys, in their order. Keys without a value are left out.
    ///
    /// Keys that are near each other take a few comparisons instead of two searches.
    ///
    /// - Precondition: the keys ascend.
    package func values(ofAscending keys: ArraySlice<Key>) -> [Value] {
        var found: [Value] = []
        found.reserveCapacity(keys.count)
        var rest = keys
        while let first = rest.first, let index = chunkIndex(for: first) {
            let isLast = index + 1 == chunks.count
            let (keys, values) = (chunks[index].keys, chunks[index].values)
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
        fileprivate var chunk: Int
        fileprivate var index: Int
    }

    /// The place before the first entry.
    package var start: Position { Position(chunk: 0, index: 0) }

    /// Returns the place before the first entry whose key is not below the given one.
    package func position(notBelow key: Key) -> Position {
        guard let chunk = chunkIndex(for: key) else { return start }
        let index = Self.lowerBound(key, in: chunks[chunk].keys)
        return index < chunks[chunk].keys.count
            ? Position(chunk: chunk, index: index) : Position(chunk: chunk + 1, index: 0)
    }

    /// Returns the entry behind the place and moves the place behind it; nil at the end.
    package func next(_ position: inout Position) -> (key: Key, value: Value)? {
        guard position.chunk < chunks.count else { return nil }
        let entry = (
            chunks[position.chunk].keys[position.index],
            chunks[position.chunk].values[position.index]
        )
        position.index += 1
        if position.index == chunks[position.chunk].keys.count {
            position = Position(chunk: position.chunk + 1, index: 0)
        }
        return entry
    }

    /// Calls the body with each entry whose key is not below the given one, in order, until the body says
    /// `false`. Costs half of what ``next(_:)`` does, because it finds each chunk once.
    @inline(__always)
    package func forEach(from key: Key, _ body: (Key, Value) -> Bool) {
        let start = position(notBelow: key)
        var first = start.index
        for chunk in chunks[min(start.chunk, chunks.count)...] {
            for index in first..<chunk.keys.count {
                guard body(chunk.keys[index], chunk.values[index]) else { return }
            }
            first = 0
        }
    }

    /// Calls the body with the values behind the place that stand side by side, at least one, and
    /// moves the place behind as many as the body says it used; nil at the end.
    package func withRun<Failure: Error>(
        from position: inout Position,
        _ body: (UnsafeBufferPointer<Value>) throws(Failure) -> Int
    ) throws(Failure) -> Int? {
        guard position.chunk < chunks.count else { return nil }
        let start = position.index
        let (used, count) = try chunks[position.chunk].values.withUnsafeBufferPointer {
            values throws(Failure) in
            (try body(UnsafeBufferPointer(rebasing: values[start...])), values.count)
        }
        position.index += used
        if position.index == count {
            position = Position(chunk: position.chunk + 1, index: 0)
        }
        return used
    }

    /// Returns how many entries have keys from the first one on, and below the end; without an end, all of
    /// them. Costs a step for each chunk between the two, and none for an entry.
    package func count(from first: Key, to end: Key?) -> Int {
        if let end, end <= first { return 0 }
        let start = position(notBelow: first)
        let end = end.map(position) ?? Position(chunk: chunks.count, index: 0)
        guard start.chunk < end.chunk else { return end.index - start.index }
        let whole = chunks[start.chunk..<end.chunk].reduce(0) { $0 + $1.keys.count }
        return whole - start.index + end.index
    }

    // MARK: Changing

    /// Sets the value of a key and returns the one it had.
    @discardableResult
    package mutating func set(_ value: Value, for key: Key) -> Value? {
        guard let chunk = chunkIndex(for: key) else {
            insertChunk(Chunk(keys: [key], values: [value]), at: 0)
            count += 1
            return nil
        }
        let index = Self.lowerBound(key, in: chunks[chunk].keys)
        if index < chunks[chunk].keys.count, chunks[chunk].keys[index] == key {
            let old = chunks[chunk].values[index]
            chunks[chunk].values[index] = value
            return old
        }
        insert(value, for: key, at: index, ofChunk: chunk)
        count += 1
        return nil
    }

    /// Removes a key and returns the value it had; nil where it had none.
    @discardableResult
    package mutating func removeValue(for key: Key) -> Value? {
        guard let chunk = chunkIndex(for: key) else { return nil }
        let index = Self.lowerBound(key, in: chunks[chunk].keys)
        guard index < chunks[chunk].keys.count, chunks[chunk].keys[index] == key else {
            return nil
        }
        chunks[chunk].keys.remove(at: index)
        let old = chunks[chunk].values.remove(at: index)
        count -= 1
        if chunks[chunk].keys.isEmpty {
            chunks.remove(at: chunk)
            firsts.remove(at: chunk)
        } else {
            firsts[chunk] = chunks[chunk].keys[0]
            mergeIfSmall(chunk)
        }
        return old
    }

    private mutating func insert(_ value: Value, for key: Key, at index: Int, ofChunk chunk: Int) {
        if chunks[chunk].keys.count < Self.chunkCapacity {
            chunks[chunk].keys.insert(key, at: index)
            chunks[chunk].values.insert(value, at: index)
            if index == 0 { firsts[chunk] = key }
            return
        }
        if chunk == chunks.count - 1, index == Self.chunkCapacity {
            insertChunk(Chunk(keys: [key], values: [value]), at: chunk + 1)
            return
        }
        let half = Self.chunkCapacity / 2
        let upper = Chunk(
            keys: ContiguousArray(chunks[chunk].keys[half...]),
            values: ContiguousArray(chunks[chunk].values[half...]))
        chunks[chunk].keys.removeSubrange(half...)
        chunks[chunk].values.removeSubrange(half...)
        insertChunk(upper, at: chunk + 1)
        if index <= half {
            insert(value, for: key, at: index, ofChunk: chunk)
        } else {
            insert(value, for: key, at: index - half, ofChunk: chunk + 1)
        }
    }

    private mutating func insertChunk(_ chunk: Chunk, at index: Int) {
        firsts.insert(chunk.keys[0], at: index)
        chunks.insert(chunk, at: index)
    }

    /// Joins a chunk with the next one where both together are half full at most.
    private mutating func mergeIfSmall(_ chunk: Int) {
        let next = chunk + 1
        guard next < chunks.count,
            chunks[chunk].keys.count + chunks[next].keys.count <= Self.chunkCapacity / 2
        else { return }
        chunks[chunk].keys += chunks[next].keys
        chunks[chunk].values += chunks[next].values
        chunks.remove(at: next)
        firsts.remove(at: next)
    }

    // MARK: Searching

    /// The chunk that holds the key or would take it; nil where there is no chunk.
    private func chunkIndex(for key: Key) -> Int? {
        if firsts.isEmpty { return nil }
        let index = Self.lowerBound(key, in: firsts)
        if index < firsts.count, firsts[index] == key { return index }
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

/// Two numbers, ordered by the first, then by the second.
package struct KeyPair: Sendable, Hashable, Comparable {
    package var first: Int64
    package var second: Int64

    package init(_ first: Int64, _ second: Int64) {
        self.first = first
        self.second = second
    }

    package static func < (left: KeyPair, right: KeyPair) -> Bool {
        left.first != right.first ? left.first < right.first : left.second < right.second
    }
}

extension SortedMap where Key == KeyPair {
    /// Calls the body with each entry whose key begins with `first`, in order.
    package func forEach(beginningWith first: Int64, _ body: (Int64, Value) -> Void) {
        forEach(from: KeyPair(first, .min)) { key, value in
            guard key.first == first else { return false }
            body(key.second, value)
            return true
        }
    }
}
