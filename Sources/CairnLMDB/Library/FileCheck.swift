import CairnFiles
import CairnStore
import Foundation

/// Checks a file before LMDB maps it, because reading from the map of a truncated file would kill
/// the process.
///
/// For the layout, see mdb.c, `MDB_page` and `MDB_meta` (format version 1, 64-bit).
final class FileCheck {
    let file: ProcessFile
    /// The number of the file's names (hard links).
    let linkCount: Int
    let byteCount: Int
    private let descriptor: Int32
    private let location: StoreLocation

    /// - Throws: `.notFound`, `.notAStore` if the file is not an LMDB file, or `.fileFailure`.
    init(path: String, location: StoreLocation) throws(StoreError) {
        try Self.requireBeginning(path, location)
        descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let code = errno
            if descriptor >= 0 { Foundation.close(descriptor) }
            throw .fileFailure(FileFailure(operation: "open", path: path, code: code))
        }
        file = ProcessFile(FileIdentity(status))
        linkCount = Int(status.st_nlink)
        byteCount = Int(status.st_size)
        self.location = location
    }

    /// Checks the first bytes. Does not open a file that a library with POSIX locks has open in
    /// this process, because closing it would release those locks.
    private static func requireBeginning(
        _ path: String, _ location: StoreLocation
    ) throws(StoreError) {
        let prefix: OpenFileRegistry.Prefix
        do {
            prefix = try OpenFileRegistry.shared.readPrefix(
                of: path, byteCount: FileKind.prefixByteCount)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { throw .notFound(location) }
            throw .fileFailure(error)
        }
        if case .bytes(let bytes) = prefix, FileMeta.begins(bytes) { return }
        throw .notAStore(location, expected: LMDBStore.type, found: "\(FileKind(prefix))")
    }

    deinit { Foundation.close(descriptor) }

    /// Checks that both meta pages are valid and that all pages that they count exist. Returns the
    /// newer meta page.
    func checkPages() throws(StoreError) -> FileMeta {
        let first = try meta(at: 0)
        let second = try meta(at: first.pageByteCount)
        guard first.pageByteCount == second.pageByteCount else {
            throw corrupt("the meta pages", "they contain different page sizes")
        }
        // Another process may enlarge the file between the two reads, but never shrinks it.
        let newest = first.transaction > second.transaction ? first : second
        guard newest.hasRootsInside else {
            throw corrupt("the newer meta page", "it refers to pages that are not in the file")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            Int(status.st_size) < newest.byteCount
        else { return newest }
        // A save may leave pages unwritten that it took and freed again. Then all missing pages are
        // free.
        let missing = UInt64(Int(status.st_size) / newest.pageByteCount)...newest.lastPage
        guard TreePages(meta: newest, read: read).areFree(missing) else {
            throw corrupt(
                "the end of the file",
                "the file has \(status.st_size) bytes instead of \(newest.byteCount)")
        }
        return newest
    }

    /// Returns the name of the file's first table in alphabetical order. Returns `nil` if the file
    /// is not an LMDB file or has no tables.
    func firstTableName() -> String? {
        guard let first = try? meta(at: 0), let second = try? meta(at: first.pageByteCount) else {
            return nil
        }
        let newest = first.transaction > second.transaction ? first : second
        return TreePages(meta: newest, read: read).firstKey(below: newest.mainRoot)
            .flatMap { String(validating: $0, as: UTF8.self) }
    }

    private func meta(at offset: Int) throws(StoreError) -> FileMeta {
        guard let bytes = read(offset, FileMeta.byteCount) else {
            throw corrupt("the meta pages", "the file ends before them")
        }
        guard let meta = FileMeta(bytes) else {
            throw corrupt("the meta page at byte \(offset)", "it is not a meta page of LMDB")
        }
        return meta
    }

    private func corrupt(_ part: String, _ detail: String) -> StoreError {
        .corrupt(location, location: part, detail: detail)
    }

    /// Reads exactly `count` bytes. Returns `nil` if the file is shorter.
    func read(_ offset: Int, _ count: Int) -> [UInt8]? {
        guard count > 0 else { return [] }
        // A count from a damaged file may be huge, so check that the bytes exist before allocating.
        var status = stat()
        guard fstat(descriptor, &status) == 0, count <= Int(status.st_size) - offset else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let rest = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor, buffer.baseAddress.map { $0 + done }, count - done,
                    off_t(offset + done))
            }
            if rest < 0, errno == EINTR { continue }
            guard rest > 0 else { return nil }
            done += rest
        }
        return bytes
    }
}
