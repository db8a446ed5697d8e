import Cairn
import Foundation

/// Growth: the first read of a relationship of a store that was just opened.
struct GrowFirstMembers: Workload {
    let name = "grow-first-members"
    let title = "open a store and read an object, without and with the members of a to-many"
    let about = About(
        goal: "with members at most 1.3 of without, however many objects the store has",
        heldFixed: """
            a closed store of all items, its file in the page cache; opening, the first folder, the \
            IDs of its items (about 1,000), closing
            """,
        varied: "whether the IDs of the items are read")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isDurable else {
            return .notApplicable(because: "a store in memory is empty when it is opened")
        }
        let url = try setting.itemsURL()
        return .contests([
            contest("without", setting, url) { [$0.objectID] },
            contest("with", setting, url) { try $0.objects("items").objectIDs() },
        ])
    }

    private func contest(
        _ part: String, _ setting: Setting, _ url: URL,
        reading ids: @escaping @Sendable (Folder) throws -> [ObjectID]
    ) -> Contest {
        let shelf = setting.shelf
        let ours = Contender("Cairn", .ours) {
            var watch = Stopwatch()
            let checksum = try watch.time {
                let stack = try shelf.open(setting.engine, at: url)
                let keys = try stack.inContext { context in
                    var request = FetchRequest<Folder>()
                    request.fetchLimit = 1
                    let folders: [Folder] = try context.fetch(request)
                    return try folders.flatMap(ids).map(\.key)
                }
                try stack.close()
                return RowChecksum(keys: keys).value
            }
            return Sample(watch, operations: 1, checksum: checksum)
        }
        return Contest(part: part, unit: "opening", [ours])
    }
}
