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
        let kind = FileKind(prefix)
        guard kind == .sqlite else {
            throw .notAStore(files.location, expected: SQLiteStore.type, found: "\(kind)")
        }
    }
}
