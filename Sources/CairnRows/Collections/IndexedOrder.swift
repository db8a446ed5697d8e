/// An ordered set of elements. Finding, adding, moving and removing an element examines a few hundred
/// elements, regardless of the size of the set.
///
/// The elements are stored in a list of short chunks. A table that contains the chunk of each element is
/// created when it is first needed.
package struct IndexedOrder<Element: Hashable> {
    /// A chunk that becomes longer than this is split.
    private static var longestChunk: Int { 512 }

    /// This is a separate object to keep the structure small, because most relationships are never
    /// rearranged.
    private var storage: Storage

    /// - Precondition: `elements` contains no duplicates.
    /// - Complexity: O(*n*).
    package init(_ elements: [Element]) {
        storage = Storage(elements, chunkCount: Self.longestChunk / 2)
    }

    package var count: Int { storage.count }

    /// All elements in order.
    ///
    /// - Complexity: O(*n*).
    package var elements: [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for chunk in storage.chunks { elements += chunk.elements }
        return elements
    }

    /// Returns whether the order contains exactly `elements`, in that order. Stops at the first
    /// difference.
    package func isEqual(to elements: [Element]) -> Bool {
        guard elements.count == count else { return false }
        var start = 0
        for chunk in storage.chunks {
            let end = start + chunk.elements.count
            guard elements[start..<end].elementsEqual(chunk.elements) else { return false }
            start = end
        }
        return true
    }

    /// - Precondition: `index` is valid.
    package subscript(index: Int) -> Element {
        let position = storage.position(at: index)
        return storage.chunks[position.chunk].elements[position.offset]
    }

    /// Returns the index of an element, or `nil` if the order does not contain the element.
    package func index(of element: Element) -> Int? {
        guard let position = storage.position(of: element) else { return nil }
        return storage.chunks[..<position.chunk].reduce(position.offset) { $0 + $1.elements.count }
    }

    /// Appends an element, unless the order already contains it.
    package mutating func append(_ element: Element) {
        guard storage.chunkNumbers[element] == nil else { return }
        makeUnique()
        storage.insert(element, at: count)
    }

    /// Removes an element. Has no effect if the order does not contain the element.
    package mutating func remove(_ element: Element) {
        guard let position = storage.position(of: element) else { return }
        makeUnique()
        storage.remove(at: position)
    }

    /// Moves an element so that it is at `index` afterwards. Has no effect if the order does not contain
    /// the element.
    ///
    /// - Precondition: `index` is valid.
    package mutating func move(_ element: Element, to index: Int) {
        guard let position = storage.position(of: element) else { return }
        makeUnique()
        storage.remove(at: position)
        storage.insert(element, at: index)
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
    }

    private struct Chunk {
        /// Identifies the chunk. Unlike the chunk's index, it never changes.
        let number: Int
        var elements: [Element]
    }

    private final class Storage {
        /// The chunks in order. None of them is empty.
        var chunks: [Chunk] = []
        /// The number of the chunk that contains each element.
        lazy var chunkNumbers: [Element: Int] = {
            var chunkNumbers = [Element: Int](minimumCapacity: count)
            for chunk in chunks {
                for element in chunk.elements { chunkNumbers[element] = chunk.number }
            }
            return chunkNumbers
        }()
        var count: Int
        private var nextNumber: Int

        init(_ elements: [Element], chunkCount: Int) {
            count = elements.count
            for start in stride(from: 0, to: count, by: chunkCount) {
                let end = min(start + chunkCount, count)
                chunks.append(
                    Chunk(number: chunks.count, elements: Array(elements[start..<end])))
            }
            nextNumber = chunks.count
        }

        init(copying other: Storage) {
            chunks = other.chunks
            count = other.count
            nextNumber = other.nextNumber
        }

        func addChunk(_ elements: [Element], at index: Int) {
            chunks.insert(Chunk(number: nextNumber, elements: elements), at: index)
            for element in elements { chunkNumbers[element] = nextNumber }
            nextNumber += 1
        }

        /// Returns the position of the element at an index. Returns the end of the last chunk if the
        /// index is out of range.
        func position(at index: Int) -> (chunk: Int, offset: Int) {
            var offset = index
            for (chunkIndex, chunk) in chunks.enumerated() {
                if offset < chunk.elements.count || chunkIndex == chunks.count - 1 {
                    return (chunkIndex, offset)
                }
                offset -= chunk.elements.count
            }
            return (0, 0)
        }

        func position(of element: Element) -> (chunk: Int, offset: Int)? {
            guard let number = chunkNumbers[element],
                let chunk = chunks.firstIndex(where: { $0.number == number }),
                let offset = chunks[chunk].elements.firstIndex(of: element)
            else { return nil }
            return (chunk, offset)
        }

        func insert(_ element: Element, at index: Int) {
            count += 1
            guard !chunks.isEmpty else { return addChunk([element], at: 0) }
            let position = position(at: index)
            chunks[position.chunk].elements.insert(element, at: position.offset)
            chunkNumbers[element] = chunks[position.chunk].number
            guard chunks[position.chunk].elements.count > longestChunk else { return }
            let behind = Array(chunks[position.chunk].elements[(longestChunk / 2)...])
            chunks[position.chunk].elements.removeLast(behind.count)
            addChunk(behind, at: position.chunk + 1)
        }

        func remove(at position: (chunk: Int, offset: Int)) {
            count -= 1
            chunkNumbers[chunks[position.chunk].elements.remove(at: position.offset)] = nil
            if chunks[position.chunk].elements.isEmpty { chunks.remove(at: position.chunk) }
        }
    }
}
