import BenchmarkKit
import Cairn
import GRDB

/// To-many traversal, with and without prefetching.
struct FollowToMany: Workload {
    let name = "to-many"
    let title = "read all members of a to-many"
    let about = About(
        goal:
            "values: SQLite ≤ 1.5, LMDB ≤ 2, InMemory ≤ 5; IDs: ≤ 2.5, ≤ 2, ≤ 4 of reading one owner at a time",
        heldFixed: "up to 10 folders of about 1,000 items each; no item registered, no row cached",
        varied: """
            C reads the items of each folder through the index; Cairn reads members' IDs and fires \
            faults one by one, fires those of a folder at once, or prefetches; GRDB prefetches by an \
            association, or requests the items of each folder; the IDs alone
            """,
        rest: """
            790 instructions for each member's object and its entry in the identity map; C makes no \
            object. IDs alone on LMDB: 280 a member, of which LMDB takes 130, decoding the link and \
            comparing it with the previous one 85
            """)

    private static let folderCount = 10

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let folders = 0..<min(Self.folderCount, setting.groupCount)
        let baseline =
            try setting.sqlite("C: query for each owner") { baseline in
                var all = Reading()
                for folder in folders {
                    let rest = "WHERE ZFOLDER = ?1 ORDER BY Z_PK"
                    all.append(try baseline.items(rest, Int64(folder) + 1))
                }
                return all
            }
            + setting.lmdb("C: links, get, seal, copy") { baseline in
                try folders.map { try baseline.items(folder: $0 + 1) }
            }
            + setting.memory("C: rows in memory, by folder") { baseline in
                folders.map { baseline.items(folder: $0 + 1) }
            }
        let coldItems = try ColdItems(setting)
        let lazily = Self.contender(coldItems, "Cairn, faults one by one", folders) { _, _ in }
        let together = Self.contender(
            coldItems, "Cairn, fired together", folders,
            goal: setting.ratioGoal(1.5, lmdb: 2, inMemory: 5)
        ) {
            try $1.fireFaults(of: $0)
        }
        let prefetched = Self.contender(
            coldItems, "Cairn, prefetched", folders, prefetching: ["items"],
            goal: setting.ratioGoal(1.5, lmdb: 2, inMemory: 5)
        ) { _, _ in }
        return .contests([
            Contest(
                part: "values", unit: "member", headline: .relationship,
                baseline + [lazily, together, prefetched] + (try Self.peers(setting, folders))),
            try ids(setting, folders),
        ])
    }

    private static func peers(_ setting: Setting, _ folders: Range<Int>) throws -> [Contender] {
        let owners = FolderRecord.order(Column("id")).limit(folders.count)
        let prefetched = try setting.grdb("GRDB, including(all:)") { database in
            try owners.including(all: FolderRecord.items).asRequest(of: FolderWithItems.self)
                .fetchAll(database).flatMap(\.items)
        }
        let requested = try setting.grdb("GRDB, request for each owner") { database in
            try owners.fetchAll(database).flatMap {
                try $0.request(for: FolderRecord.items).fetchAll(database)
            }
        }
        return prefetched + requested
    }

    private func ids(_ setting: Setting, _ folders: Range<Int>) throws -> Contest {
        let baseline =
            try setting.sqlite("C: keys for each owner") { baseline in
                var all = Reading()
                for folder in folders {
                    let sql = "SELECT Z_PK FROM ZITEM WHERE ZFOLDER = ?1 ORDER BY Z_PK"
                    all.append(try baseline.integers(sql, Int64(folder) + 1))
                }
                return all
            }
            + setting.lmdb("C: links of each owner") { baseline in
                try folders.map { try baseline.keys(folder: $0 + 1) }
            }
            + setting.memory("C: keys in memory, by folder") { baseline in
                folders.map { baseline.keys(folder: $0 + 1) }
            }
        let coldItems = try ColdItems(setting)
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(2.5, lmdb: 2, inMemory: 4)) {
            try coldItems.run { stack in
                try stack.inContext { context in
                    let owners: [Folder] = try context.fetch(FetchRequest<Folder>())
                    var watch = Stopwatch()
                    let ids = try watch.time {
                        try folders.flatMap { try owners[$0].objects("items").objectIDs() }
                    }
                    return Sample(
                        watch, operations: ids.count,
                        checksum: Checksum(keys: ids.map(\.key)).value)
                }
            }
        }
        let peer = try setting.grdb("GRDB, including(all:)") { database in
            try FolderRecord.order(Column("id")).limit(folders.count)
                .including(all: FolderRecord.items.select(Column("id")).forKey("itemIDs"))
                .asRequest(of: FolderWithItemIDs.self).fetchAll(database).flatMap(\.itemIDs)
        }
        return Contest(part: "IDs", unit: "member", baseline + [ours] + peer)
    }

    private static func contender(
        _ coldItems: ColdItems, _ name: String, _ folders: Range<Int>, prefetching: [String] = [],
        goal: Goal? = nil,
        _ fire: @escaping @Sendable ([Item], ManagedObjectContext) throws -> Void
    ) -> Contender {
        Contender(name, .ours, goal: goal) {
            try coldItems.run { stack in
                try stack.inContext { context in
                    var watch = Stopwatch()
                    let items = try watch.time {
                        var request = FetchRequest<Folder>()
                        request.fetchLimit = folders.count
                        request.relationshipKeyPathsForPrefetching = prefetching
                        let owners: [Folder] = try context.fetch(request)
                        return try owners.flatMap { owner in
                            let members = Array(try owner.objects("items", as: Item.self))
                            try fire(members, context)
                            for member in members { _ = member.number }
                            return members
                        }
                    }
                    return Sample(watch, rows: items)
                }
            }
        }
    }
}
