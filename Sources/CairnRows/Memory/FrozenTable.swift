/// Elements in memory that is written once, never changed, and freed with the table.
///
/// Reading an element of an array would count a reference to its memory, which costs as much as the
/// rest of reading a column or a slot. The owner of a table reads it through ``elements`` instead.
public final class FrozenTable<Element: Sendable>: Sendable {
    /// The elements. Valid as long as the table exists.
    public let elements: FrozenElements<Element>

    /// Creates a table with copies of the elements.
    public init(_ elements: some Collection<Element>) {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        let end = memory.initialize(fromContentsOf: elements)
        assert(end == memory.endIndex, "a collection has another count than it says")
        self.elements = FrozenElements(base: UnsafePointer(memory.baseAddress!), count: end)
    }

    deinit {
        let memory = UnsafeMutablePointer(mutating: elements.base)
        memory.deinitialize(count: elements.count)
        memory.deallocate()
    }
}

/// The elements of a ``FrozenTable``, as a pointer without reference counting.
///
/// - Precondition: the table still exists when an element is read. Therefore the elements are
///   stored only in the table's owner, or in a value that the owner lends for the duration of a
///   call.
@frozen public struct FrozenElements<Element: Sendable>: RandomAccessCollection, Sendable {
    // Unsafe, but safe to share: the memory never changes after it was filled.
    @usableFromInline nonisolated(unsafe) let base: UnsafePointer<Element>
    /// The number of elements.
    public let count: Int

    init(base: UnsafePointer<Element>, count: Int) {
        self.base = base
        self.count = count
    }

    /// An empty collection of elements of the same table.
    public var none: Self { Self(base: base, count: 0) }

    /// The index of the first element, always 0.
    @inlinable @inline(__always) public var startIndex: Int { 0 }
    /// The number of elements.
    @inlinable @inline(__always) public var endIndex: Int { count }

    /// Returns the element at an index. The index is checked only in debug builds.
    @inlinable @inline(__always) public subscript(index: Int) -> Element {
        assert(index >= 0 && index < count, "a frozen table has no element \(index)")
        return base[index]
    }

    /// The bytes of the elements in memory order. Valid as long as the table exists.
    @inlinable @inline(__always) public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(UnsafeBufferPointer(start: base, count: count))
    }

    /// Returns an iterator that does not check bounds.
    @inlinable @inline(__always)
    public func makeIterator() -> UnsafeBufferPointer<Element>.Iterator {
        UnsafeBufferPointer(start: base, count: count).makeIterator()
    }
}
