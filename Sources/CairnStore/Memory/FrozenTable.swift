/// Elements in memory that is written once, never changed, and freed with the table.
///
/// An array would do, but reading one counts a reference to its memory. That costs as much as the rest
/// of reading a column or a slot. Whoever owns a table reads it through ``elements``.
public final class FrozenTable<Element: Sendable>: Sendable {
    /// The elements. Usable as long as the table exists.
    public let elements: FrozenElements<Element>

    /// Copies the elements.
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
