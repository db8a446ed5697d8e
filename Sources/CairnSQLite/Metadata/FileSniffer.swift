import CairnStore
import Foundation

/// Says what a file is by its first bytes.
struct FileSniffer {
    let files: StoreFiles

    /// Checks that the file is a SQLite database.
    ///
    /// A file that this process has open already counts as one: reading it by another descriptor
    /// would end SQLite's locks on it.
    ///
    /// - Throws: `.notFound`; `.notAStore`, with what it looks like; `.fileFailure`.
    func requireDatabase() throws(StoreError) {
        let prefix: OpenFileRegistry.Prefix
        do throws(FileFailure) {
            prefix = try OpenFileRegistry.shared.readPrefix(of: files.path, byteCount: 64)
        } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw .fileFailure(error) }
            throw .notFound(files.location)
        }
        if let found = Self.kind(of: prefix) {
            throw .notAStore(files.location, expected: SQLiteStore.type, found: found)
        }
    }

    /// nil for a SQLite database, else what the file looks like.
    private static func kind(of prefix: OpenFileRegistry.Prefix) -> String? {
        switch prefix {
        case .isOpen: return nil
        case .notAFile(let kind): return kind
        case .bytes(let bytes):
            if bytes.starts(with: Array("SQLite format 3\0".utf8)) { return nil }
            if bytes.isEmpty { return "an empty file" }
            if bytes.starts(with: Array("bplist".utf8)) { return "a binary property list" }
            let text = String(decoding: bytes, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            if text.hasPrefix("<") { return "an XML document" }
            // lmdb.h: MDB_MAGIC behind the 16 bytes of the first page's header.
            if bytes.dropFirst(16).starts(with: [0xde, 0xc0, 0xef, 0xbe]) {
                return "an LMDB database"
            }
            return "a file of another kind"
        }
    }
}
