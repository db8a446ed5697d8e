import BenchmarkRows
import Cairn
import Foundation

/// Row P.
struct LMDBSave: Workload {
    let name = "P"
    let title = "LMDB: create and save objects in bulk"
    let about = About(
        goal: "≤ 1.5 of packing, sealing and appending each row",
        heldFixed: """
            items with all values and a to-one, into a store that has their folders and no item; \
            one index, and the links of the folders; one transaction; what the file holds \
            afterwards is read back by Cairn and compared
            """,
        varied: """
            C packs rows and puts entries; Cairn makes objects, sets their values one by one and \
            both ends of the to-one, validates and saves
            """,
        rest: """
            the object graph alone costs more than the goal: making, setting, packing, adopting \
            and freeing take 8,600 instructions an object, C 5,850 in all
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine == .lmdb else {
            return .notApplicable(
                because: "the row is about LMDB; another row measures every engine")
        }
        let values = setting.shelf.values(setting.size)
        let baseline = setting.insertions()
        let ours = Contender("Cairn", .ours, goal: .ratio(1.5)) {
            try setting.changing(.folders) { stack in
                try stack.inContext { try $0.create(values) }
            }
        }
        return .contests([
            Contest(
                unit: "object", durability: setting.engine.durability, baseline + [ours])
        ])
    }
}
