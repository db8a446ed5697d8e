import Cairn

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

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let folders = setting.followedFolders
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
                [lazily, together, prefetched]),
            try ids(setting, folders),
        ])
    }

    private func ids(_ setting: Setting, _ folders: Range<Int>) throws -> Contest {
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
                        checksum: RowChecksum(keys: ids.map(\.key)).value)
                }
            }
        }
        return Contest(part: "IDs", unit: "member", [ours])
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

extension Setting {
    /// The indices of the folders whose items are read.
    package var followedFolders: Range<Int> { 0..<min(10, groupCount) }
}
