import CairnModel
import Synchronization

/// A block of memory that holds packed rows of one store.
///
/// Filled by one ``RowWriter``. Bytes of a row that was handed out never change: rows point into the
/// slab and keep it alive. Slabs of the usual size are recycled, because fresh memory costs a page
/// fault every few rows.
public final class RowSlab: @unchecked Sendable {
    // Unchecked: only the writer that made the slab writes to `base`, and only after the rows that
    // it has handed out, whose bytes are read only from then on. `deinit` is the last access.

    /// 128 KiB: large enough that recycling matters more than allocation, small enough that one
    /// row kept alive does not hold megabytes.
    public static let usualByteCount = 128 * 1024

    /// The store whose rows these are.
    public let store: StoreNumber
    /// The space in which rows and to-one slots with a negative key have temporary IDs.
    public let temporarySpace: StoreNumber
    @usableFromInline let base: UnsafeMutableRawPointer
    /// How many bytes there are.
    public let byteCount: Int

    /// Creates a slab for few rows: of the given size, and not recycled.
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

    /// Whether a row's bytes are inside of the slab.
    @inlinable func contains(_ row: RowPointer) -> Bool {
        let offset = row.bytes - UnsafeRawPointer(base)
        return offset >= 0 && offset % 8 == 0 && offset + row.byteCount <= byteCount
    }

    /// Returns the row that begins at an offset.
    ///
    /// - Precondition: a finished row does.
    @inlinable package func row(at offset: Int) -> Row {
        Row(slab: self, bytes: UnsafeRawPointer(base + offset))
    }

    /// Returns the rows that stand before an offset, from the first on.
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

/// Memory of slabs that are gone, for the next ones.
private final class SlabPool: Sendable {
    static let shared = SlabPool()

    /// 8 MiB at most stay with the process.
    private static let mostKept = 64

    private struct Blocks: @unchecked Sendable {
        // Unchecked: blocks in the list belong to nobody else; the mutex guards the list.
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
