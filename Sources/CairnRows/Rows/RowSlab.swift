import CairnModel
import Synchronization

/// A block of memory that contains packed rows of one store.
///
/// A slab is filled by one ``RowWriter``. The bytes of a finished row never change. Rows point into
/// the slab and keep it alive. Slabs of the usual size are recycled, because fresh memory costs a
/// page fault every few rows.
public final class RowSlab: @unchecked Sendable {
    // Unchecked: only the writer that created the slab writes to `base`, and only after the rows
    // that it has finished, whose bytes are only read from then on. `deinit` is the last access.

    /// 128 KiB, which is large enough for recycling to pay off, and small enough that a single row
    /// does not keep megabytes alive.
    public static let usualByteCount = 128 * 1024

    /// The store that the rows belong to.
    public let store: StoreNumber
    /// The space of temporary IDs for rows and to-one slots with negative keys.
    public let temporarySpace: StoreNumber
    @usableFromInline package let base: UnsafeMutableRawPointer
    /// The size of the slab in bytes.
    public let byteCount: Int

    /// Creates a slab of a given size for few rows. Its memory is not recycled.
    ///
    /// - Precondition: the size is not the usual one.
    init(store: StoreNumber, temporarySpace: StoreNumber, smallByteCount: Int) {
        self.store = store
        self.temporarySpace = temporarySpace
        byteCount = smallByteCount
        base = .allocate(byteCount: smallByteCount, alignment: 8)
    }

    init(store: StoreNumber, temporarySpace: StoreNumber, atLeast byteCount: Int) {
        self.store = store
        self.temporarySpace = temporarySpace
        if byteCount <= Self.usualByteCount {
            self.byteCount = Self.usualByteCount
            base = SlabPool.shared.take()
        } else {
            self.byteCount = byteCount
            base = .allocate(byteCount: byteCount, alignment: 8)
        }
    }

    /// Returns whether the row's bytes are inside the slab.
    @inlinable package func contains(_ row: RowPointer) -> Bool {
        let offset = row.bytes - UnsafeRawPointer(base)
        return offset >= 0 && offset % 8 == 0 && offset + row.byteCount <= byteCount
    }

    /// Returns the row that begins at an offset.
    ///
    /// - Precondition: a finished row begins at the offset.
    @inlinable package func row(at offset: Int) -> Row {
        Row(slab: self, bytes: UnsafeRawPointer(base + offset))
    }

    /// Returns the rows before an offset, starting with the first row of the slab.
    ///
    /// - Precondition: one writer wrote rows up to `end` into this slab, and a row ends there.
    package func rows(before end: Int) -> [Row] {
        var rows: [Row] = []
        var offset = 0
        while offset < end {
            let row = Row(slab: self, bytes: UnsafeRawPointer(base + offset))
            rows.append(row)
            offset += row.byteCount
        }
        return rows
    }

    deinit {
        if byteCount == Self.usualByteCount {
            SlabPool.shared.give(base)
        } else {
            base.deallocate()
        }
    }
}

/// The memory of released slabs, for reuse by new slabs.
private final class SlabPool: Sendable {
    static let shared = SlabPool()

    /// Keeps at most 8 MiB of memory.
    private static let mostKept = 64

    private struct Blocks: @unchecked Sendable {
        // Unchecked: no one else uses the blocks in the list, and the mutex guards the list.
        var free: [UnsafeMutableRawPointer] = []
    }

    private let blocks = Mutex(Blocks())

    func take() -> UnsafeMutableRawPointer {
        blocks.withLock { $0.free.popLast() }
            ?? .allocate(byteCount: RowSlab.usualByteCount, alignment: 8)
    }

    func give(_ block: UnsafeMutableRawPointer) {
        let isKept = blocks.withLock { blocks in
            guard blocks.free.count < Self.mostKept else { return false }
            blocks.free.append(block)
            return true
        }
        if !isKept { block.deallocate() }
    }
}
