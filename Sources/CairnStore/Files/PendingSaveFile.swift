import CairnFiles
import Foundation

/// The file beside a store that says that a save over several stores was begun and is not finished.
///
/// It says where the save's journal is. `CairnSaveJournal` writes and reads it.
package struct PendingSaveFile: Sendable {
    /// What follows the name of the store in the name of the file.
    package static let suffix = "-pending"

    /// The store's path, symbolic links followed.
    package let storePath: String
    /// The folder that the store and the file are in.
    package var folder: String { storePath.pathParts.folder }
    /// The file, which is there only while a save is not finished.
    package let file: StagedFile

    /// Names the file of a store. Returns `nil` for a store that is no file.
    package init?(of location: StoreLocation) {
        guard let url = location.fileURL else { return nil }
        self.init(storePath: RealPath.of(url.standardPath))
    }

    /// Names the file of the store at a path.
    package init(storePath: String) {
        self.storePath = storePath
        file = StagedFile(storePath + Self.suffix)
    }

    /// Where the journal of a save is if the store is the one beside which it is made. Every save has a
    /// journal of its own.
    package func journalPath(of id: SaveID) -> String { "\(file.path)-\(id)" }

    /// Whether a save is not finished. Costs one call of the system.
    package var exists: Bool { file.exists }

    /// The store as errors name it.
    package var location: StoreLocation { .file(URL(fileURLWithPath: storePath)) }
}

extension StoreLocation {
    /// Checks that no save over several stores is left to be finished, before the store's files are
    /// copied, moved, replaced, removed or migrated: the journal would not fit them any more.
    ///
    /// - Throws: `.savePending`.
    package func requireNoPendingSave() throws(StoreError) {
        guard let pending = PendingSaveFile(of: self), pending.exists else { return }
        throw .savePending(
            InterruptedSave(
                id: nil, stores: [self],
                detail: "“\(pending.file.path)” says that it is not finished"))
    }
}
