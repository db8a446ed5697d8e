import CairnFiles
import CairnStore
import Foundation

/// Writes large values to files of their own, before the rows that name them are committed.
///
/// Files of a save that failed are removed; so are those that no row names any more, once no
/// reader of this process may still ask for them. A crash in between leaves a file that nothing
/// names, never a name without a file.
final class ExternalDataWriter {
    /// Longer values go to files. Core Data's own bound is not documented; about 100 KB by
    /// observation, and 58 KB was seen inline.
    static let inlineByteCount = 100 * 1024

    let folder: ExternalDataFolder
    private var written: [String] = []
    private(set) var obsolete: [String] = []

    init(_ folder: ExternalDataFolder) { self.folder = folder }

    /// What a column holds for the file of that name.
    static func stored(_ name: String) -> Data { Data([2]) + Data(name.utf8) + Data([0]) }

    /// The name in what a column holds. `nil` if the value is inline.
    static func name(in stored: UnsafeRawBufferPointer) -> String? {
        guard stored.first == 2 else { return nil }
        return String(decoding: stored.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Writes the bytes to a new file, durably, and returns its name.
    ///
    /// - Throws: `.fileFailure`.
    func write(_ data: Data) throws(StoreError) -> String {
        let name = UUID().uuidString
        do throws(FileFailure) {
            try makeFolders()
            try PosixFile.write(data, toNew: folder.url.appending(path: name).path)
        } catch {
            throw .fileFailure(error)
        }
        written.append(name)
        return name
    }

    /// Notes that the saved rows name the file no more.
    func abandon(_ name: String) { obsolete.append(name) }

    /// Makes the entries of the files written durable; before the commit.
    ///
    /// - Throws: `.fileFailure`.
    func finish() throws(StoreError) {
        guard !written.isEmpty else { return }
        do throws(FileFailure) {
            try PosixFile.syncFolder(folder.url.path)
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Removes what was written; after a rollback.
    func discard() {
        for name in written { unlink(folder.url.appending(path: name).path) }
        written = []
    }

    private func makeFolders() throws(FileFailure) {
        if try PosixFile.makeFolder(folder.support.path) {
            try PosixFile.syncFolder(folder.support.deletingLastPathComponent().path)
        }
        if try PosixFile.makeFolder(folder.url.path) {
            try PosixFile.syncFolder(folder.support.path)
        }
    }
}
