import BenchmarkRows
import Cairn

/// Row U.
struct FollowRegistered: Workload {
    let name = "U"
    let title = "follow a to-one to a registered object"
    let about = About(
        goal: "≤ 2 of a strong reference",
        heldFixed: """
            the folder of every item, kept in an array; items and folders realised and held
            """,
        varied: """
            a plain class's stored reference; Cairn's accessor, which finds the object by its ID
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.isSQLite else {
            return .notApplicable(
                because: "objects are the same whatever engine their rows are from")
        }
        let plain = Self.plainItems(setting)
        let baseline = Contender("stored reference", .baseline) { Self.follow(plain) }
        let ours = try setting.ours(goal: .ratio(2)) { context in
            let folders: [Folder] = try context.fetch(FetchRequest<Folder>())
            let items = try context.allItems()
            return withExtendedLifetime(folders) { Self.follow(items) }
        }
        return .contests([Contest(unit: "step", [baseline, ours])])
    }

    private final class PlainFolder {
        let key: Int64
        init(key: Int64) { self.key = key }
    }

    private final class PlainOwner {
        let folder: PlainFolder?
        init(folder: PlainFolder) { self.folder = folder }
    }

    private static func plainItems(_ setting: Setting) -> [PlainOwner] {
        let folders = (0..<setting.groupCount).map { PlainFolder(key: Int64($0) + 1) }
        return (0..<setting.size).map {
            PlainOwner(folder: folders[ItemValues.folderIndex(at: $0, of: setting.size)])
        }
    }

    @inline(never)
    private static func follow(_ items: [PlainOwner]) -> Sample {
        var watch = Stopwatch()
        let folders = watch.time { items.map(\.folder) }
        let keys = folders.lazy.map { $0?.key ?? 0 }
        return Sample(watch, operations: items.count, checksum: RowChecksum(keys: keys).value)
    }

    @inline(never)
    private static func follow(_ items: [Item]) -> Sample {
        var watch = Stopwatch()
        let folders = watch.time { items.map(\.folder) }
        let keys = folders.lazy.map { $0?.objectID.key ?? 0 }
        return Sample(watch, operations: items.count, checksum: RowChecksum(keys: keys).value)
    }
}
