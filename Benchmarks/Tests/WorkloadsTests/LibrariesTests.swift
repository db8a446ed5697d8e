import BenchmarkRows
import Testing

@testable import Workloads

@Suite struct `C libraries and GRDB` {
    /// Returns the contenders of a row, by part.
    private func contenders(_ row: String, _ engine: String) throws -> [String: [Contender]] {
        let plan = try #require(Libraries.workloads.first { $0.name == row })
        let shelf = try StoreTemplates(below: nil, additions: Libraries.additions)
        let setting = Setting(engine: .init(rawValue: engine), size: 1_000, shelf: shelf)
        guard case .contests(let contests) = try setting.plan(of: plan) else { return [:] }
        return Dictionary(uniqueKeysWithValues: contests.map { ($0.part, $0.contenders) })
    }

    @Test func `are compared in rows of one order, in which no row is missing or unknown`() {
        let rows = Libraries.workloads.map(\.name)

        #expect(rows == Libraries.order)
        #expect(Set(rows) == Set((Catalogue.workloads + Libraries.own).map(\.name)))
        #expect(rows.count == 57)
    }

    @Test func `stand beside Cairn: C before it, GRDB after it, and a control at the end`() throws {
        let names = try contenders("A", "SQLite")[""]?.map(\.name)

        #expect(
            names == [
                "C: step, all columns", "Cairn", "GRDB, hand-written record",
                "GRDB, Codable record", "plain objects from memory",
            ])
    }

    @Test(arguments: ["SQLite", "LMDB", "Binary", "XML", "InMemory"])
    func `have a baseline in each row of the first screen but memory`(_ engine: String) throws {
        let rows =
            ["A", "G", "to-one", "to-many", "M", "K"] + (engine == "InMemory" ? [] : ["open"])

        let without = try rows.filter { row in
            let parts = try contenders(row, engine)
            return parts.isEmpty || parts.values.contains { $0.first?.role != .baseline }
        }

        #expect(without == [])
    }

    @Test func `are given the work of each part of a row`() throws {
        let related = try contenders("related", "SQLite").mapValues { $0.map(\.name) }

        #expect(
            related == [
                "to-one, one folder": [
                    "C: items of a sub-select", "Cairn", "GRDB, joining(required:)",
                ],
                "to-one, half of all": ["C: sub-select", "Cairn", "GRDB, association"],
                "ANY": ["C: sub-select", "Cairn", "GRDB, association"],
                "SUBQUERY": ["C: sub-select", "Cairn", "GRDB, association"],
            ])
    }
}
