/// A meta page of LMDB's. A file has two, the newer of which counts.
struct FileMeta {
    /// Page header and meta record.
    static let byteCount = 152
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let metaPageFlag: UInt16 = 0x08
    /// `P_INVALID`: an empty tree.
    static let noPage = UInt64.max

    /// Whether a file with these first bytes is one of LMDB's: the magic number follows the 16 bytes
    /// of the first page's header.
    static func begins(_ bytes: [UInt8]) -> Bool { bytes.integer(at: 16) == magic }

    let pageByteCount: Int
    let lastPage: UInt64
    let transaction: UInt64
    /// The root of the tree of free pages.
    let freeRoot: UInt64
    /// The root of the tree of tables.
    let mainRoot: UInt64
    /// How many tables the file has.
    let tableCount: Int

    /// How long the file has to be.
    var byteCount: Int { (Int(lastPage) + 1) * pageByteCount }

    /// - Returns: `nil` if the bytes are not a meta page of LMDB's, or have impossible numbers.
    init?(_ bytes: [UInt8]) {
        let flags: UInt16 = bytes.integer(at: 10)
        let magic: UInt32 = bytes.integer(at: 16)
        let version: UInt32 = bytes.integer(at: 20)
        let pageByteCount: UInt32 = bytes.integer(at: 40)
        guard flags & Self.metaPageFlag != 0, magic == Self.magic, version == 1,
            (256...65536).contains(pageByteCount), pageByteCount.nonzeroBitCount == 1
        else { return nil }
        self.pageByteCount = Int(pageByteCount)
        freeRoot = bytes.integer(at: 40 + 40)
        mainRoot = bytes.integer(at: 88 + 40)
        lastPage = bytes.integer(at: 136)
        transaction = bytes.integer(at: 144)
        // A file has fewer than 2^47 bytes; so no product of these overflows. Nor has any file seen
        // 2^62 saves.
        guard transaction < 1 << 62, lastPage >= 1, lastPage < 1 << 31 else { return nil }
        let entries: UInt64 = bytes.integer(at: 88 + 32)
        // A table takes more than 56 bytes of a page, so no damaged number asks for much memory.
        tableCount = Int(min(entries, (lastPage + 1) * UInt64(pageByteCount / 56)))
    }

    /// Whether the roots are pages that the meta page counts.
    ///
    /// They may not be in the older meta page: if writing a new one fails, LMDB puts the old number
    /// of pages back there, and leaves the new roots.
    var hasRootsInside: Bool {
        [freeRoot, mainRoot].allSatisfy { $0 <= lastPage || $0 == Self.noPage }
    }
}

extension [UInt8] {
    /// The little-endian integer at an offset. 0 if the bytes end before it does.
    func integer<T: FixedWidthInteger>(at offset: Int) -> T {
        guard offset >= 0, offset + MemoryLayout<T>.size <= count else { return 0 }
        return (0..<MemoryLayout<T>.size).reduce(0) { $0 | T(self[offset + $1]) << T($1 * 8) }
    }
}
