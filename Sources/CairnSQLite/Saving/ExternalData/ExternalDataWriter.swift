import CairnFiles
import CairnStore
import Foundation

/// Writes large values to files of their own, before the rows that refer to them are committed.
///
/// If the save fails, its files are removed. Files that no row refers to any more are removed as
/// soon as no reader in this process may need them. A crash can leave a file that no row refers to,
/// but never a reference without a file.
final class ExternalDataWriter {
    /// The maximum size of a value that is stored inline. Core Data's own limit is not documented.
    /// It seems to be about 100 KB, and an inline value of 58 KB was observed.
    static let inlineByteCount = 100 * 1024

    let folder: ExternalDataFolder
    private var written: [String] = []
    private(set) var obsolete: [String] = []

    init(_ folder: ExternalDataFolder) { self.folder = folder }

    /// Returns the column value that refers to the file with the given name.
    static func stored(_ name: String) -> Data { Data([2]) + Data(name.utf8) + Data([0]) }

    /// Returns the file name in a column value, or `nil` if the value is inline.
    static func name(in stored: UnsafeRawBufferPointer) -> String? {
        guard stored.first == 2 else { return nil }
        return String(decoding: stored.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Writes the bytes durably to a new file, and returns its name.
    ///
    /// - Throws: `.fileFailure`.
    func write(_ data: Data) throws(StoreError) -> String {
        let name = UUID().uuidString
        do throws(FileFailure) {
            try makeFolders()
            try PosixFile.write(
                data, toNewCompanion: folder.url.appending(path: name).path, of: folder.storePath)
        } catch {
            throw .fileFailure(error)
        }
        written.append(name)
        return name
    }

    /// Notes that the saved rows no longer refer to a file.
    func abandon(_ name: String) { obsolete.append(name) }

    /// Makes the directory entries of the written files durable. Must be called before the commit.
    ///
    /// - Throws: `.fileFailure`.
    func finish() throws(StoreError) {
        guard !written.isEmpty else { return }
        do throws(FileFailure) {
            try HeldFile(
                companion: folder.url.path, of: folder.storePath, O_RDONLY | O_DIRECTORY
            ).synchronize()
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Removes the written files after a rollback.
    func discard() {
        for name in written {
            PosixFile.removeCompanion(folder.url.appending(path: name).path, of: folder.storePath)
        }
        written = []
    }

    private func makeFolders() throws(FileFailure) {
        for url in [folder.support, folder.url] {
            try PosixFile.makeCompanionFolder(url.path, of: folder.storePath)
        }
    }
}
