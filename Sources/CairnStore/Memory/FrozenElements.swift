/// The elements of a ``FrozenTable``, as a pointer that counts no reference.
///
/// - Precondition: the table still exists when an element is read. A reader is therefore part of the
///   table's owner, or a value that the owner lends for the length of a call.
@frozen public struct FrozenElements<Element: Sendable>: RandomAccessCollection, Sendable {
    // Unsafe: the memory is never changed after it was filled.
    @usableFromInline nonisolated(unsafe) let base: UnsafePointer<Element>
    /// How many elements there are.
    public let count: Int

    init(base: UnsafePointer<Element>, count: Int) {
        self.base = base
        self.count = count
    }

    /// No element, of the same table.
    public var none: Self { Self(base: base, count: 0) }

    /// Always 0.
    @inlinable @inline(__always) public var startIndex: Int { 0 }
    /// The count.
    @inlinable @inline(__always) public var endIndex: Int { count }

    /// The element at an index. Only a debug build checks the index.
    @inlinable @inline(__always) public subscript(index: Int) -> Element {
        assert(index >= 0 && index < count, "a frozen table has no element \(index)")
        return base[index]
    }

    /// The bytes of the elements.
    @inlinable @inline(__always) public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(UnsafeBufferPointer(start: base, count: count))
    }

    /// Returns an iterator that checks nothing.
    @inlinable @inline(__always)
    public func makeIterator() -> UnsafeBufferPointer<Element>.Iterator {
        UnsafeBufferPointer(start: base, count: count).makeIterator()
    }
}
