import Foundation
import Testing

@testable import CairnBenchmarks

@Suite struct `Limits of ratios` {
    private let limits = Thresholds(from: .fixture(Array(repeating: 120, count: 7)))

    @Test func `are at most a quarter above the measured ratios`() {
        #expect(limits.limits.map(\.ratio) == [1.5])
        #expect(limits.size == 10_000)
    }

    @Test func `are met by the report from which they were made`() {
        #expect(limits.violations(in: .fixture(Array(repeating: 120, count: 7))).isEmpty)
    }

    @Test func `are exceeded by a slow-down, which is named`() throws {
        let violations = limits.violations(in: .fixture(Array(repeating: 160, count: 7)))

        let line = try #require(violations.first)
        #expect(line.hasPrefix("A, SQLite, Cairn: 1.60"))
        #expect(line.hasSuffix("the limit is 1.50"))
    }

    @Test func `are not exceeded by one slow round of many`() {
        #expect(limits.violations(in: .fixture([120, 120, 900, 120, 120, 120, 120])).isEmpty)
    }

    @Test func `are broken by a row that was not run`() {
        let other = Report.fixture([100], size: 1_000)

        #expect(limits.violations(in: other) == ["A, SQLite, Cairn: not measured at 10000 objects"])
    }

    @Test func `also bound the bytes of an object, more tightly`() throws {
        let limits = Thresholds(from: .fixture([120], bytes: 100))

        #expect(limits.limits.map(\.bytes) == [105])
        #expect(limits.violations(in: .fixture([120], bytes: 105)).isEmpty)
        #expect(
            limits.violations(in: .fixture([120], bytes: 106))
                == ["A, SQLite, Cairn: 106 B an object, the limit is 105 B"])
    }

    @Test func `are broken by a figure that is no longer measured`() {
        let limits = Thresholds(from: .fixture([120], bytes: 100))

        #expect(
            limits.violations(in: .fixture([120], hasBaseline: false))
                == [
                    "A, SQLite, Cairn: no ratio was measured",
                    "A, SQLite, Cairn: the memory of an object was not measured",
                ])
    }

    @Test func `of rows that were not measured again stay unchanged`() throws {
        var old = limits
        old.limits += [limits.limits[0], limits.limits[0]]
        old.limits[1].workload = "B"
        old.limits[2].engine = "LMDB"

        let updated = old.updated(from: .fixture(Array(repeating: 200, count: 7)))
        let ofOtherSize = old.updated(from: .fixture([120], size: 1_000))

        #expect(updated.limits == [old.limits[1], old.limits[2], updated.limits[2]])
        #expect(updated.limits[2].ratio == 2.5)
        #expect(ofOtherSize.limits.count == 1)
    }

    @Test func `are read from a file unchanged`() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("limits-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: url) }

        try limits.write(to: url)

        #expect(try Thresholds(contentsOf: url) == limits)
    }
}
