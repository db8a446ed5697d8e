import CairnFiles
import Foundation

/// The names that engines give to files of their own beside a store.
///
/// A store with such a name would be taken for a log, a lock or something left over of the store
/// beside it, and be overwritten or removed.
package enum CompanionName {
    /// Logs and shared memory of SQLite; locks; the record of keys of whole-file stores; saves over
    /// several stores that are not finished.
    private static let suffixes = [
        "-wal", "-shm", "-journal", "-lock", "-keys", PendingSaveFile.suffix,
        PendingSaveFile.suffix + StagedFile.suffix,
    ]
    /// What follows the name of a store in the names of its hidden files: SQLite's large values.
    private static let hiddenSuffixes = ["_SUPPORT"]
    /// What follows the name of a store in the names of temporary files, before a unique part.
    private static let temporaryMarks = [
        ".saving-", ".replacing-", ".copy-", ".creating-", ".cairn-new-",
    ]

    /// Returns the name of the store to which a file of this name would belong. Returns `nil` for a
    /// name that no engine uses.
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

    /// The same for the journal of a save over several stores, which is named after the save.
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
    /// Checks that no engine would take a store of this name for a file of its own.
    ///
    /// - Throws: `.unsupported`, which says which store the name belongs to.
    package func requireFreeName() throws(StoreError) {
        guard let name = fileURL?.lastPathComponent, let store = CompanionName.store(owning: name)
        else { return }
        throw .unsupported(
            self, feature: "a name that engines give to a file beside the store “\(store)”",
            advice: "Choose another name.")
    }
}
