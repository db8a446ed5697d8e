/// One of LMDB's meta pages. A file has two of them, of which the newer one is valid.
struct FileMeta {
    /// The size of the page header and the meta record.
    static let byteCount = 152
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let metaPageFlag: UInt16 = 0x08
    /// The page number that stands for an empty tree (`P_INVALID`).
    static let noPage = UInt64.max

    /// Returns whether a file with these first bytes is an LMDB file: the magic number follows the
    /// 16-byte header of the first page.
    static func begins(_ bytes: [UInt8]) -> Bool { bytes.integer(at: 16) == magic }

    let pageByteCount: Int
    let lastPage: UInt64
    let transaction: UInt64
    /// The root of the tree of free pages.
    let freeRoot: UInt64
    /// The root of the tree of tables.
    let mainRoot: UInt64
    /// The number of tables in the file.
    let tableCount: Int

    /// The length that the file must have.
    var byteCount: Int { (Int(lastPage) + 1) * pageByteCount }

    /// Returns `nil` if the bytes are not an LMDB meta page, or contain impossible numbers.
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
        // A file has fewer than 2^47 bytes, so no product of these numbers overflows. No file has
        // seen
        // 2^62 saves either.
        guard transaction < 1 << 62, lastPage >= 1, lastPage < 1 << 31 else { return nil }
        let entries: UInt64 = bytes.integer(at: 88 + 32)
        // A table takes more than 56 bytes of a page. This keeps a damaged number from causing a
        // huge
        // allocation.
        tableCount = Int(min(entries, (lastPage + 1) * UInt64(pageByteCount / 56)))
    }

    /// Whether the page numbers of the roots are within the page count.
    ///
    /// In the older meta page they may not be: if writing a new meta page fails, LMDB restores the
    /// old page count there, but leaves the new roots.
    var hasRootsInside: Bool {
        [freeRoot, mainRoot].allSatisfy { $0 <= lastPage || $0 == Self.noPage }
    }
}

extension [UInt8] {
    /// Returns the little-endian integer at an offset, or 0 if the bytes end before it does.
    func integer<T: FixedWidthInteger>(at offset: Int) -> T {
        guard offset >= 0, offset + MemoryLayout<T>.size <= count else { return 0 }
        return (0..<MemoryLayout<T>.size).reduce(0) { $0 | T(self[offset + $1]) << T($1 * 8) }
    }
}
