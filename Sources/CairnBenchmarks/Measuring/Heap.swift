import CairnCHeap

/// The memory that the process has allocated.
enum Heap {
    /// The number of bytes that malloc has given out, or 0 if the system does not report it.
    static var byteCount: Int { Int(cairn_heap_bytes()) }
}
