import CairnFiles
import CairnStore
import CairnThreads
import Foundation

/// The redo journal of one save over several stores that are files.
///
/// ```
/// pointers beside all participants, the first one's last → the journal → commits → dropped
/// ```
///
/// The save has taken place as soon as the journal has its name. If its process dies, the next
/// process that finds its files finishes it: see ``SaveRecovery``. Folder locks are held from
/// before the first file is written until the last is removed. A process that gets the locks and
/// finds files therefore knows that the saving process has died, or that it could not finish.
package final class SaveJournal {
    private let id: SaveID
    private let participants: [Participant]
    private let files: [PendingSaveFile]
    private let journal: StagedFile
    private let model: SaveFileBody
    private let requests: [[UInt8]]
    private let locks: FolderLocks

    /// Takes the folders' locks.
    ///
    /// - Parameters:
    ///   - id: the name of the save, which every request has.
    ///   - model: the saver's, by whose layouts the requests' rows are packed.
    ///   - parts: at least two, in the order of their identifiers.
    ///   - timeout: how long to wait for others that save over several stores in the same folders,
    ///     or that take snapshots of all of them at once.
    /// - Throws: `.busy`, `.cancelled`, `.deadlineExceeded`, `.fileFailure`. Nothing was written.
    package init(
        _ id: SaveID, model: JournalModel, parts: [SavePart], timeout: Duration
    ) throws(StoreError) {
        self.id = id
        files = parts.map(\.file)
        participants = parts.map { part in
            Participant(
                identifier: part.identifier, type: type(of: part.store).type,
                configuration: part.store.request.configuration, path: part.file.storePath)
        }
        self.model = model.body
        requests = parts.map { RequestEncoder.encode($0.request) }
        journal = StagedFile(files[0].journalPath(of: id))
        locks = try FolderLocks.wait(
            for: files.map(\.folder), isShared: false, timeout: timeout, at: files[0].location)
    }

    /// Writes the pointers and then the journal, durably. When this returns, the save has taken place.
    ///
    /// - Throws: `.fileFailure`: the save has not taken place.
    package func write() throws(StoreError) {
        var hasName = false
        do throws(FileFailure) {
            for file in files.reversed() {
                try stage(.pointer, file.file, beside: file)
                try file.file.publish()
            }
            try stage(.journal, journal, beside: files[0])
            for folder in Set(files.map(\.folder)) { try PosixFile.syncFolder(folder) }
            try journal.publish()
            hasName = true
            try PosixFile.syncFolder(files[0].folder)
        } catch {
            let isTakenBack = takeBack()
            // A journal that cannot be removed will be followed, so the save goes on.
            if hasName, !isTakenBack { return }
            throw .fileFailure(error)
        }
    }

    private func stage(
        _ kind: SaveFile.Kind, _ file: StagedFile, beside store: PendingSaveFile
    ) throws(FileFailure) {
        var body = model
        if kind == .journal { body.requests = requests }
        let content = SaveFile(
            kind, id: id, path: file.path, journalPath: journal.path, participants: participants,
            body: body)
        try file.stage(content.bytes, modeOf: store.storePath)
    }

    /// Removes what was written of a save that does not take place: the journal first. If a pointer stays,
    /// the next process that opens its store finds that no store has the save.
    ///
    /// - Returns: whether the journal is gone.
    private func takeBack() -> Bool {
        do throws(FileFailure) {
            try journal.remove()
        } catch {
            return false
        }
        for file in files { try? file.file.remove() }
        return true
    }

    /// Removes the files of the save, which all stores have.
    ///
    /// - Throws: `.fileFailure`. The next process that opens one of the stores finds that all of
    ///   them have the save.
    package func drop() throws(StoreError) {
        do throws(FileFailure) {
            try SaveFiles.remove(pointers: files, journalPath: journal.path)
        } catch {
            throw .fileFailure(error)
        }
    }
}
