import CairnFiles
import CairnModel
import CairnStore
import Foundation

/// Writes large values to files of their own, before the rows that refer to them are committed.
///
/// If the save fails, its files are removed. Files that no row refers to any more are removed as
/// soon as no reader of any process may need them. A crash can leave a file that no row refers to,
/// but never a reference without a file.
final class ExternalDataWriter {
    /// The maximum size of a value that is stored inline. Core Data's own limit is not documented.
    /// It seems to be about 100 KB, and an inline value of 58 KB was observed.
    static let inlineByteCount = 100 * 1024

    let folder: ExternalDataFolder
    /// The parent of the folder for new files. It is chosen when the save writes its first file.
    private lazy var support = folder.neighbours().isEmpty ? folder.support : folder.ownSupport
    private var content: URL { ExternalDataFolder.content(of: support) }
    private var written: [String] = []
    /// The files that no row refers to after an earlier save, and that are removed soon.
    private let pending: Set<String>
    private var abandoned: Set<String> = []
    private var kept: Set<String> = []
    /// The files that the row refers to that is being updated. `nil` while rows are inserted.
    var previousNames: [String]?
    /// The rows in which a file has another name than in the request.
    private(set) var renamingRows: [ObjectID] = []

    /// The files that no row refers to after the save.
    var obsolete: Set<String> { abandoned.subtracting(kept) }

    /// - Parameter pending: The files that no row refers to after earlier saves.
    init(_ folder: ExternalDataFolder, pending: Set<String> = []) {
        self.folder = folder
        self.pending = pending
    }

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
        do {
            try makeFolders()
            try PosixFile.write(
                data, toNewCompanion: content.appending(path: name).path, of: folder.storePath)
        } catch {
            throw .fileFailure(error)
        }
        written.append(name)
        return name
    }

    /// Returns the name that the saved row has for a file that it refers to.
    ///
    /// If an earlier save replaced or deleted the value, its file is about to be removed. The file
    /// then gets a second name, which belongs to the saved row. Returns `nil` if such a file does
    /// not exist any more.
    ///
    /// - Throws: `.fileFailure`.
    func keep(_ name: String, in id: ObjectID) throws(StoreError) -> String? {
        let isStored = previousNames?.contains(name) ?? !pending.contains(name)
        if isStored {
            kept.insert(name)
            return name
        }
        let new = UUID().uuidString
        do {
            try makeFolders()
            let target = content.appending(path: new).path
            for path in folder.paths(ofFileNamed: name) where access(path, F_OK) == 0 {
                // Neither the file nor its folders may be symbolic links.
                _ = try HeldFile(companion: path, of: folder.storePath, O_RDONLY)
                if link(path, target) != 0 { try PosixFile.copy(path, toNew: target) }
                written.append(new)
                renamingRows.append(id)
                return new
            }
        } catch {
            throw .fileFailure(error)
        }
        return nil
    }

    /// Notes that a saved row no longer refers to a file.
    func abandon(_ name: String) { abandoned.insert(name) }

    /// Makes the directory entries of the written files durable. Must be called before the commit.
    ///
    /// - Throws: `.fileFailure`.
    func finish() throws(StoreError) {
        guard !written.isEmpty else { return }
        do {
            try HeldFile(
                companion: content.path, of: folder.storePath, O_RDONLY | O_DIRECTORY
            ).synchronize()
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Removes the written files after a rollback.
    func discard() {
        for name in written {
            PosixFile.removeCompanion(content.appending(path: name).path, of: folder.storePath)
        }
        written = []
    }

    private func makeFolders() throws(FileFailure) {
        for url in [support, content] {
            try PosixFile.makeCompanionFolder(url.path, of: folder.storePath)
        }
    }
}
