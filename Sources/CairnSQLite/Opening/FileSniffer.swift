import CairnStore
import Foundation

/// Says what a file is by its first bytes.
struct FileSniffer {
    let files: SQLiteFiles

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
        switch prefix {
        case .isOpen: return
        case .bytes(let bytes) where bytes.starts(with: Self.mark): return
        default:
            throw .notAStore(
                files.location, expected: SQLiteStore.type, found: "\(FileKind(prefix))")
        }
    }

    /// fileformat2.html, “The Database Header”: the first 16 bytes of every database.
    private static let mark = Array("SQLite format 3\0".utf8)
}
