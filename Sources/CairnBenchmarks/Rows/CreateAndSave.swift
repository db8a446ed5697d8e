import Cairn
import Foundation

/// Row K.
struct CreateAndSave: Workload {
    let name = "K"
    let title = "create and save objects in bulk"
    let about = About(
        goal: "SQLite ≤ 0.9, LMDB ≤ 2.5 of an insert for each row",
        heldFixed: """
            items with all values and a to-one, into a store that has their folders and no item; \
            the indexes on category and folder are kept; one transaction; what the file holds \
            afterwards is read back and compared
            """,
        varied: """
            C binds and steps, packs and puts, or packs and writes the file; Cairn makes objects, \
            sets their values one by one and both ends of the to-one, validates and saves; GRDB \
            inserts records
            """,
        rest: """
            SQLite: 24,500 instructions, C 23,800; adopting takes 2,300, creating 2,200, packing \
            1,800, both ends of the to-one 1,200, ten values 860, validating 420. LMDB: 16,600, C \
            5,850; the engine takes 5,650, and creating, setting, packing, adopting and freeing \
            objects 9,400
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let values = setting.shelf.values(setting.size)
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(0.9, lmdb: 2.5)) {
            try setting.changing(.folders) { stack in
                try stack.inContext { try $0.create(values) }
            }
        }
        return .contests([
            Contest(
                unit: "object", durability: setting.engine.durability, headline: .saveMany,
                [ours])
        ])
    }
}

extension ManagedObjectContext {
    /// Creates the items in the folders that the store has, and saves. This is what is timed.
    package func create(_ values: [ItemValues]) throws -> Sample {
        let folders: [Folder] = try fetch(FetchRequest<Folder>())
        var watch = Stopwatch()
        try watch.time {
            for (index, value) in values.enumerated() {
                let folder = folders[ItemValues.folderIndex(at: index, of: values.count)]
                try insert(Item.self).setAll(value, folder: folder)
            }
            try save()
        }
        return Sample(watch, operations: values.count, checksum: 0)
    }
}
