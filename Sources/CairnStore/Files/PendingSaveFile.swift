import CairnFiles
import Foundation

/// The file beside a store that marks an unfinished save over several stores.
///
/// It contains the path of the save's journal. `CairnSaveJournal` writes and reads it.
package struct PendingSaveFile: Sendable {
    /// What follows the name of the store in the name of the file.
    package static let suffix = "-pending"

    /// The store's path, with symbolic links resolved.
    package let storePath: String
    /// The folder that the store and the file are in.
    package var folder: String { storePath.pathParts.folder }
    /// The file, which exists only while a save is unfinished.
    package let file: StagedFile

    /// Creates the value for the store at a location. Returns `nil` if the store is not a file.
    package init?(of location: StoreLocation) {
        guard let url = location.fileURL else { return nil }
        self.init(storePath: RealPath.of(url.standardPath))
    }

    /// Creates the value for the store at a path.
    package init(storePath: String) {
        self.storePath = storePath
        file = StagedFile(storePath + Self.suffix)
    }

    /// Returns the path of the journal that a save has if it is created beside this store. Every
    /// save has a journal of its own.
    package func journalPath(of id: SaveID) -> String { "\(file.path)-\(id)" }

    /// Whether a save is unfinished. The cost is one system call.
    package var exists: Bool { file.exists }

    /// The store's location, for errors.
    package var location: StoreLocation { .file(URL(fileURLWithPath: storePath)) }
}

extension StoreLocation {
    /// Checks that no save over several stores is unfinished. Call this before the store's files
    /// are copied, moved, replaced, removed or migrated, because the journal would not match them
    /// afterwards.
    ///
    /// - Throws: `.savePending`.
    package func requireNoPendingSave() throws(StoreError) {
        guard let pending = PendingSaveFile(of: self), pending.exists else { return }
        throw .savePending(
            InterruptedSave(
                id: nil, stores: [self],
                detail: "its file “\(pending.file.path)” still exists"))
    }
}
