import CairnFiles
import Foundation

/// The names that engines give to the files that they create beside a store.
///
/// A store with such a name would be mistaken for the log, the lock or a leftover file of another
/// store, and be overwritten or removed.
package enum CompanionName {
    /// What follows a store's name in the names of: SQLite's logs and shared memory, locks, the key
    /// records of stores that are written as a whole, and unfinished saves over several stores.
    private static let suffixes = [
        "-wal", "-shm", "-journal", "-lock", "-keys", PendingSaveFile.suffix,
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
    /// Checks that no engine would mistake a store with this name for a file of its own.
    ///
    /// - Throws: `.unsupported`, which names the store that the file would belong to.
    package func requireFreeName() throws(StoreError) {
        guard let name = fileURL?.lastPathComponent, let store = CompanionName.store(owning: name)
        else { return }
        throw .unsupported(
            self, feature: "a name that engines use for a file next to the store “\(store)”",
            advice: "Choose another name.")
    }
}
