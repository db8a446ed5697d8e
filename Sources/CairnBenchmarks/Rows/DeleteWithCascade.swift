import Cairn
import Foundation

/// Deletion with a cascade.
struct DeleteWithCascade: Workload {
    let name = "cascade"
    let title = "delete folders with all their items"
    let about = About(
        goal: "SQLite ≤ 3 of deleting the rows by key",
        heldFixed: """
            a tenth of the folders, each with about 1,000 items, that no one has read; versions \
            are checked; one transaction; what the file holds afterwards is read back and compared
            """,
        varied: """
            C knows the keys and deletes; Cairn finds the members, applies the delete rule, \
            validates and saves
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let count = setting.deletedFolderCount
        let keys = setting.keysInDeletedFolders
        let ours = Contender("Cairn", .ours, goal: setting.goal(.ratio(3))) {
            try setting.changing(.items) { stack in
                try stack.inContext { context in
                    let folders: [Folder] = try context.fetch(FetchRequest<Folder>())
                    var watch = Stopwatch()
                    try watch.time {
                        for folder in folders.prefix(count) { try context.delete(folder) }
                        try context.save()
                    }
                    return Sample(watch, operations: keys.count, checksum: 0)
                }
            }
        }
        return .contests([
            Contest(unit: "object", durability: setting.engine.durability, [ours])
        ])
    }
}

extension Setting {
    /// The number of folders that are deleted.
    package var deletedFolderCount: Int { max(1, groupCount / 10) }

    /// The keys of the items in these folders.
    package var keysInDeletedFolders: [Int64] {
        (0..<size).filter { ItemValues.folderIndex(at: $0, of: size) < deletedFolderCount }
            .map { Int64($0) + 1 }
    }
}
