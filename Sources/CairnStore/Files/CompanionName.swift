import CairnFiles
import Foundation

/// The names that engines give to the files that they create beside a store.
///
/// A store with such a name would be mistaken for the log, the lock or a leftover file of another
/// store, and be overwritten or removed.
package enum CompanionName {
    /// What follows a store's name in the names of: SQLite's logs and shared memory, locks, the key
    /// records and histories of stores that are written as a whole, and unfinished saves over several
    /// stores.
    private static let suffixes = [
        "-wal", "-shm", "-journal", "-lock", "-keys", "-history",
        PendingSaveFile.suffix,
        PendingSaveFile.suffix + StagedFile.suffix,
    ]
    /// What follows a store's name in the names of hidden files, in which SQLite stores keep large
    /// values.
    private static let hiddenSuffixes = ["_SUPPORT", "_FILES"]
    /// What follows a store's name in the names of temporary files. A unique part comes after it.
    private static let temporaryMarks = [
        ".saving-", ".replacing-", ".copy-", ".creating-", ".cairn-new-",
    ]

    /// Returns the name of the store that a file with this name would belong to, or `nil` if no
    /// engine uses such a name.
    package static func store(owning name: String) -> String? {
        let isHidden = name.hasPrefix(".")
        for suffix in suffixes + (isHidden ? hiddenSuffixes : [])
        where name.hasSuffix(suffix) && name.count > suffix.count {
            return String(name.dropLast(suffix.count).drop { isHidden && $0 == "." })
        }
        if let store = store(owningJournal: name) { return store }
        for mark in temporaryMarks {
            guard let range = name.range(of: mark), range.lowerBound > name.startIndex else {
                continue
            }
            return String(name[..<range.lowerBound].drop { isHidden && $0 == "." })
        }
        return nil
    }

    /// Returns the store's name if the file is the journal of a save over several stores, whose
    /// name contains the name of the save.
    private static func store(owningJournal name: String) -> String? {
        let journal =
            name.hasSuffix(StagedFile.suffix) ? name.dropLast(StagedFile.suffix.count) : name[...]
        guard
            let mark = journal.range(of: PendingSaveFile.suffix + "-", options: .backwards),
            mark.lowerBound > name.startIndex,
            UUID(uuidString: String(journal[mark.upperBound...])) != nil
        else { return nil }
        return String(journal[..<mark.lowerBound])
    }
}

extension StoreLocation {
    /// Checks that the names of all files beside a store fit into a file system. The longest is that of
    /// the unfinished ``PendingSaveFile``. Symbolic links are resolved.
    ///
    /// - Throws: `.unsupported`.
    package func requireShortName() throws(StoreError) {
        guard let url = fileURL else { return }
        let count = RealPath.of(url.path).pathParts.name.utf8.count
        let longestEnding = PendingSaveFile.suffix + StagedFile.suffix
        let greatest = TemporaryName.greatestLength - longestEnding.utf8.count
        guard count > greatest else { return }
        throw .unsupported(
            self, feature: "a name of \(count) bytes",
            advice:
                "Choose a name of at most \(greatest) bytes, so that the names of the files beside the"
                + " store have at most \(TemporaryName.greatestLength).")
    }

    /// Checks that no engine would mistake a store with this name for a file of its own, and that the name
    /// is short enough.
    ///
    /// - Throws: `.unsupported`, which names the store that the file would belong to, or the greatest
    ///   length of a name.
    package func requireFreeName() throws(StoreError) {
        try requireShortName()
        guard let name = fileURL?.lastPathComponent, let store = CompanionName.store(owning: name)
        else { return }
        throw .unsupported(
            self, feature: "a name that engines use for a file next to the store “\(store)”",
            advice: "Choose another name.")
    }
}

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
    package func journalPath(of id: SaveID) -> String {
        let (folder, name) = storePath.pathParts
        return "\(folder)/\(TemporaryName.stem(of: name))\(Self.suffix)-\(id)"
    }

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
