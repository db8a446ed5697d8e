import CairnStore
import Foundation

/// Recognizes the type of a file by its first bytes.
struct FileSniffer {
    let files: SQLiteFiles

    /// Checks that the file is a SQLite database.
    ///
    /// A file that this process already has open counts as one, because reading it through another
    /// descriptor would release SQLite's locks on it.
    ///
    /// - Throws: `.notFound`; `.notAStore` with the type that the file seems to have;
    ///   `.fileFailure`.
    func requireDatabase() throws(StoreError) {
        let prefix: OpenFileRegistry.Prefix
        do {
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

    /// The first 16 bytes of every database (fileformat2.html, “The Database Header”).
    private static let mark = Array("SQLite format 3\0".utf8)
}
