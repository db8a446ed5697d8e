import CairnEngineKit
import CairnFiles
import CairnStore
import CairnThreads
import Foundation

/// The redo journal of one save over several stores that are files.
///
/// ```
/// pointer files beside all participants, the first one's last → the journal → commits → dropped
/// ```
///
/// The save has taken place as soon as the journal has its name, or, if a store of a service takes part, as soon as that
/// store has committed. If the process dies, the next
/// process that finds its files finishes the save: see ``SaveRecovery``. Folder locks are held from
/// before the first file is written until the last one is removed. Therefore, if a process gets the
/// locks and finds files, the saving process has died or could not finish.
package final class SaveJournal {
    /// The part of the save that one store receives: the store, which is a file and is open for writing, the
    /// file of the save beside it, its identifier, and the request, whose name is the ID of the save.
    package typealias Part = (
        store: any PersistentStore, file: PendingSaveFile, identifier: String, request: SaveRequest
    )

    private let id: SaveID
    private let participants: [Participant]
    private let decider: Participant?
    private let files: [PendingSaveFile]
    private let journal: StagedFile
    private let model: [UInt8]
    private let requests: [[UInt8]]
    private let locks: [HeldFile]

    /// Takes the locks of the folders.
    ///
    /// - Parameters:
    ///   - id: the name of the save, which every request contains.
    ///   - model: the saver's model, with whose layouts the rows of the requests are packed.
    ///   - parts: the parts of the save that files receive, sorted by identifier. At least two, or one with a decider.
    ///   - decider: a store of a service that takes part, and its identifier. It must commit right after the journal was
    ///     written, before the files. If it does not, ``takeBack()`` ends the save.
    ///   - timeout: how long to wait for others that save over several stores in the same folders,
    ///     or take snapshots of all of them at once.
    /// - Throws: `.busy`, `.cancelled`, `.deadlineExceeded`, `.fileFailure`. Nothing has been
    ///   written then.
    package init(
        _ id: SaveID, model: JournalModel, parts: [Part],
        decider: (store: any PersistentStore, identifier: String)? = nil, timeout: Duration
    ) throws(StoreError) {
        self.id = id
        files = parts.map(\.file)
        participants = parts.map { part in
            Participant(part.store, part.identifier, path: part.file.storePath)
        }
        self.decider = decider.map { store, identifier in
            Participant(store, identifier, path: "\(store.request.location)")
        }
        self.model = model.bytes
        requests = parts.map { RequestCodec.encode($0.request) }
        journal = StagedFile(files[0].journalPath(of: id))
        locks = try HeldFile.waitToLock(
            files.map(\.folder), isShared: false, timeout: timeout, at: files[0].location)
    }

    /// Writes the pointer files and then the journal, durably. When this method returns, the save
    /// has taken place, or will as soon as the decider commits.
    ///
    /// - Throws: `.fileFailure`. The save has not taken place then.
    package func write() throws(StoreError) {
        var hasName = false
        do {
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
            // The journal cannot be removed, so others will follow it. The save has to continue.
            if hasName, !isTakenBack { return }
            throw .fileFailure(error)
        }
    }

    private func stage(
        _ kind: SaveFile.Kind, _ file: StagedFile, beside store: PendingSaveFile
    ) throws(FileFailure) {
        let content = SaveFile(
            kind: kind, id: id, path: file.path, journalPath: journal.path,
            participants: participants, decider: decider, model: model,
            requests: kind == .journal ? requests : [])
        try file.stage(content.bytes, modeOf: store.storePath)
    }

    /// Removes the files of a save that does not take place, the journal first. If a file is left, the next process
    /// that opens its store finds that no store has the save, or that the decider does not have it.
    ///
    /// - Returns: whether the journal was removed.
    @discardableResult package func takeBack() -> Bool {
        do {
            try journal.remove()
        } catch {
            return false
        }
        for file in files { try? file.file.remove() }
        return true
    }

    /// Removes the files of the save after all stores have it.
    ///
    /// - Throws: `.fileFailure`. The next process that opens one of the stores then finds that all
    ///   of them have the save.
    package func drop() throws(StoreError) {
        do {
            try SaveFiles.remove(pointers: files, journalPath: journal.path)
        } catch {
            throw .fileFailure(error)
        }
    }
}
