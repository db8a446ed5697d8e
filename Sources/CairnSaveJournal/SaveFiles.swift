import CairnFiles
import CairnRows
import CairnStore
import Foundation

/// The files of the save that a store takes part in, as found from that store.
struct SaveFiles {
    /// The progress of the save.
    enum State {
        /// The save has taken place. The value is its journal.
        case journal(SaveFile)
        /// The journal does not exist. Either the process died before writing it or after all stores had the
        /// save, or someone removed it. The pointer file names the participants.
        case missingJournal(path: String, pointer: SaveFile)
        /// The journal's bytes are not those that were written. The save may have taken place. The pointer file
        /// names the participants.
        case damagedJournal(path: String, detail: String, pointer: SaveFile)
        /// The pointer file cannot be read, so the save is unknown. The text gives the reason.
        case noPointer(String)
    }

    /// The file beside the store from which the save was found.
    let pending: PendingSaveFile
    let state: State
    /// The current or former path of the journal, or `nil` if the pointer file cannot be read.
    let journalPath: String?
    /// Whether the file that names the participants is a copy: the original is still at the path that the
    /// file had when it was written.
    private var isCopy = false

    /// Reads the files. Returns `nil` if no save is pending.
    ///
    /// - Throws: `.unsupported` for a later version; `.fileFailure`.
    init?(beside pending: PendingSaveFile) throws(StoreError) {
        self.pending = pending
        guard let reading = try Self.read(pending.file, of: pending) else { return nil }
        switch reading {
        case .file(let pointer) where pointer.kind == .pointer:
            (journalPath, state) = try Self.follow(pointer, from: pending)
        case .file: (journalPath, state) = (nil, .noPointer("the file is a journal"))
        case .damaged(let detail): (journalPath, state) = (nil, .noPointer(detail))
        case .later: return nil
        }
        guard let named else { return }
        let (path, former) = (namingPath(of: named), named.path)
        isCopy =
            RealPath.of(path) != RealPath.of(former) && Self.isFile(former, of: named.id)
            && (try? FileIdentity(at: path)) != (try? FileIdentity(at: former))
    }

    /// Returns whether a file belongs to a save. A file that cannot be read may do so.
    private static func isFile(_ path: String, of id: SaveID) -> Bool {
        do {
            guard let bytes = try StagedFile(path).read() else { return false }
            guard case .file(let file) = SaveFile.read(bytes) else { return true }
            return file.id == id
        } catch {
            return true
        }
    }

    /// Returns the current path of the file that names the participants.
    private func namingPath(of named: SaveFile) -> String {
        (named.kind == .journal ? journalPath : nil) ?? pending.file.path
    }

    /// Looks for the journal of a pointer file, first at its former path relative to the pointer
    /// file, then at its former absolute path.
    private static func follow(
        _ pointer: SaveFile, from pending: PendingSaveFile
    ) throws(StoreError) -> (String, State) {
        let moved = Participant.moved(
            pointer.journalPath, beside: pointer.path, to: pending.file.path)
        let paths = [moved, pointer.journalPath].compactMap(\.self)
        var loss = State.missingJournal(path: paths[0], pointer: pointer)
        for path in paths {
            switch try read(StagedFile(path), of: pending) {
            case .file(let file)? where file.kind == .journal && file.id == pointer.id:
                return (path, .journal(file))
            case .damaged(let detail)?:
                loss = .damagedJournal(path: path, detail: detail, pointer: pointer)
            case .file?, .later?, nil: break
            }
        }
        return (paths[0], loss)
    }

    private static func read(
        _ file: StagedFile, of pending: PendingSaveFile
    ) throws(StoreError) -> SaveFile.Reading? {
        let bytes: [UInt8]?
        do {
            bytes = try file.read()
        } catch {
            throw .fileFailure(error)
        }
        let reading = bytes.map(SaveFile.read)
        if case .later(let version)? = reading {
            throw .unsupported(
                pending.location,
                feature: "an unfinished save over several stores in format version \(version)",
                advice: "Open it with a later version of Cairn.")
        }
        return reading
    }

    // MARK: What the files say

    /// The name of the save, or `nil` if the pointer file cannot be read.
    var id: SaveID? { named?.id }

    private var named: SaveFile? {
        switch state {
        case .journal(let file), .missingJournal(_, let file), .damagedJournal(_, _, let file): file
        case .noPointer: nil
        }
    }

    /// The participants, each with the file of the save beside it. If a store is not found, the
    /// file's former path is used.
    var participants: [(Participant, PendingSaveFile)] {
        guard let named else { return [] }
        // Paths are resolved relative to the file that contains them.
        let path = namingPath(of: named)
        return named.participants.map {
            let store = $0.path(from: path, formerly: named.path, isCopy: isCopy)
            return ($0, PendingSaveFile(storePath: store))
        }
    }

    /// Whether the store from which the save was found is one of the participants. Also `true` if
    /// the participants are not known.
    ///
    /// A copy of a participant is not one of them: finishing the save would change the original
    /// instead.
    var nameTheStore: Bool {
        named == nil
            || participants.contains { RealPath.of($0.1.storePath) == pending.storePath }
    }

    /// The store of a service that decides whether the save has taken place.
    var decider: Participant? { named?.decider }

    /// The folders of the stores, as far as they exist.
    var folders: [String] {
        ([pending.folder] + participants.map(\.1.folder)).filter {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    func doubt(_ detail: String) -> StoreError { .saveInDoubt(interruption(detail)) }

    func interruption(_ detail: String) -> InterruptedSave {
        let stores = participants.map(\.1.location)
        return InterruptedSave(
            id: id, stores: stores.isEmpty ? [pending.location] : stores, detail: detail)
    }

    /// Whether the pointer file beside the first store exists. It is written last and removed last.
    /// Therefore, if it exists and another store's pointer file does not, that store has the save.
    var hasFirstPointer: Bool { participants.first?.1.exists == true }

    /// The row layouts of the saver's model, or `nil` if they cannot be used.
    var layouts: RowLayouts? { named?.layouts }

    // MARK: Dropping

    /// Removes only the file beside the store from which the save was found.
    ///
    /// - Throws: `.savePending` if the file cannot be removed.
    func dropThoseOfTheStore() throws(StoreError) {
        do {
            try pending.file.remove()
        } catch {
            throw .savePending(interruption("its files cannot be removed: \(error.message)"))
        }
    }

    /// Removes the files of the save.
    ///
    /// - Parameter kept: the identifiers of stores whose files are kept.
    /// - Throws: `.savePending` if a file cannot be removed.
    func drop(but kept: Set<String> = []) throws(StoreError) {
        guard named != nil else { return try dropThoseOfTheStore() }
        do {
            var pointers: [PendingSaveFile] = []
            for (participant, file) in participants where !kept.contains(participant.identifier) {
                if try belongsToSave(file) { pointers.append(file) }
            }
            try Self.remove(pointers: pointers, journalPath: kept.isEmpty ? journalPath : nil)
        } catch {
            throw .savePending(interruption("its files cannot be removed: \(error.message)"))
        }
    }

    /// Returns whether a file beside a store may be removed, because it belongs to this save or no
    /// other save can need it.
    private func belongsToSave(_ other: PendingSaveFile) throws(FileFailure) -> Bool {
        if other.storePath == pending.storePath { return true }
        guard let bytes = try other.file.read() else { return true }
        switch SaveFile.read(bytes) {
        case .file(let file): return file.id == id
        case .damaged:
            // While a save has a journal, no other save can be begun in its stores.
            if case .journal = state { return true }
            return false
        case .later: return false
        }
    }

    /// Removes files of a save. The order shows at any time how far the removal has come: the first
    /// store's pointer file was written last, and is removed last.
    ///
    /// - Parameters:
    ///   - pointers: the pointer files, in the order of the participants.
    ///   - journalPath: the path of the journal, or `nil` to keep the journal.
    static func remove(
        pointers: [PendingSaveFile], journalPath: String?
    ) throws(FileFailure) {
        for pointer in pointers.dropFirst().reversed() { try pointer.file.remove() }
        if let journalPath { try StagedFile(journalPath).remove() }
        try pointers.first?.file.remove()
    }
}
