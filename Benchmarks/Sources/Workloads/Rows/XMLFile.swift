import Baselines
import BenchmarkKit
import Cairn
import Foundation

/// Row R.
struct XMLFile: Workload {
    let name = "R"
    let title = "XML: load and save a whole file"
    let about = About(
        goal: "load ≤ 1.3 of parsing with SAX, save ≤ 0.25 of xmlTextWriter",
        heldFixed: """
            a store of all items and folders; a save is written beside the file, synced, renamed, \
            the folder synced; what the file holds afterwards is read back by Cairn and compared
            """,
        varied: """
            libxml2 parses and converts the items' values, keeping none, or writes them; Cairn \
            opens the store and answers with all rows, or saves one changed object
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine == .xml else { return .notApplicable }
        return .contests([try load(setting), try save(setting)])
    }

    private func load(_ setting: Setting) throws -> Contest {
        let url = try setting.itemsURL()
        let baseline = Contender("libxml2: SAX", .baseline) {
            var (count, checksum) = (Int64(0), UInt64(0))
            var watch = Stopwatch()
            let code = watch.time { bl_xml_read(url.path, &count, &checksum) }
            try XMLBaseline.check(code, "parse")
            return Sample(watch, operations: Int(count), checksum: checksum)
        }
        let ours = try WholeFile.loading(setting, goal: .ratio(1.3))
        return Contest(part: "load", unit: "object", [baseline, ours])
    }

    private func save(_ setting: Setting) throws -> Contest {
        let ours = WholeFile.saving(setting, goal: .ratio(0.25)) { item in
            try item.set(.double(XMLBaseline.newPrice), at: Item.Slot.price)
        }
        let writer = try XMLBaseline(setting)
        let baseline = Contender("libxml2: xmlTextWriter", .baseline) {
            let copy = try setting.shelf.fresh()
            defer { setting.shelf.discard(copy) }
            var watch = Stopwatch()
            try watch.time { try writer.write(to: copy) }
            return Sample(
                watch, operations: setting.size, checksum: try Proof.checksum(of: copy, .xml),
                fileBytes: setting.shelf.byteCount(of: copy))
        }
        return Contest(
            part: "save", unit: "object", durability: setting.engine.durability, [baseline, ours])
    }
}
