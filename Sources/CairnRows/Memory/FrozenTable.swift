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
