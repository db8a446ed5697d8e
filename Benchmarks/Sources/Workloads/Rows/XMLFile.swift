import Baselines
import BenchmarkRows
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
            """,
        rest: """
            loading makes rows of what was read (14 % of it); saving writes the file (a third), \
            and makes text of values
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine == .xml else {
            return .notApplicable(
                because: "the row is about the file of an XML store")
        }
        return .contests([try load(setting), try save(setting)])
    }

    private func load(_ setting: Setting) throws -> Contest {
        let ours = try WholeFile.loading(setting, goal: .ratio(1.3))
        let baseline = Self.parsing(try setting.itemsURL())
        return Contest(part: "load", unit: "object", [baseline, ours])
    }

    /// Returns a contender in which libxml2 parses a store: one operation for each item, or a single
    /// operation up to the first object.
    static func parsing(_ url: URL, toFirst: Bool = false) -> Contender {
        Contender("libxml2: SAX", .baseline) {
            var (count, all, first) = (Int64(0), UInt64(0), UInt64(0))
            var watch = Stopwatch()
            let code = watch.time { bl_xml_read(url.path, &count, &all, &first) }
            try XMLBaseline.check(code, "parse")
            return toFirst
                ? Sample(watch, operations: 1, checksum: first)
                : Sample(watch, operations: Int(count), checksum: all)
        }
    }

    private func save(_ setting: Setting) throws -> Contest {
        let edit = Edit(setting, count: 1)
        let ours = WholeFile.saving(setting, goal: .ratio(0.25)) { edit.apply(to: [$0]) }
        let baseline = setting.library("xmlTextWriter", changing: .items) { baseline in
            var watch = Stopwatch()
            try edit.withCTitles { titles in
                try watch.time {
                    try baseline.update(edit.keys, prices: edit.prices, titles: titles, version: 1)
                }
            }
            return Sample(watch, operations: setting.size, checksum: 0)
        }
        return Contest(
            part: "save", unit: "object", durability: setting.engine.durability, baseline + [ours])
    }
}
