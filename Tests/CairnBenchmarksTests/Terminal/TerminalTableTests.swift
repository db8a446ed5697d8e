import Testing

@testable import CairnBenchmarks

@Suite struct `Table in a terminal` {
    @Test func `shows time and ratio, and on request whether the goal is met`() {
        let plain = TerminalTable().text(of: Report.fixture([120, 120, 120]).rows[0])
        let text = TerminalTable(showsGoals: true).text(
            of: Report.fixture([120, 120, 120]).rows[0])

        #expect(text.contains("A  does something  [per row]"))
        #expect(text.contains("120 ns"))
        #expect(text.contains("1.20"))
        #expect(text.contains("≤ 1.50 met"))
        #expect(plain.hasPrefix("does something  [per row]"))
        #expect(!plain.contains("≤"))
    }

    @Test func `shows a missed goal, with colour only on request`() {
        let row = Report.fixture([200, 200, 200]).rows[0]

        let colored = TerminalTable(showsGoals: true, usesColor: true).text(of: row)

        #expect(TerminalTable(showsGoals: true).text(of: row).hasSuffix("MISSED"))
        #expect(colored.contains("\u{1b}[1;31mMISSED"))
    }

    @Test func `shows what a row is waiting for`() {
        let text = TerminalTable().text(of: Report.fixture([1]).rows[1])

        #expect(text.hasSuffix("not yet: needs undo"))
    }

    @Test(arguments: [
        (0.336, "0.34 ns"), (87.2, "87.2 ns"), (2_110, "2.11 µs"), (375_000, "375 µs"),
        (1_220_000_000, "1.22 s"),
    ])
    func `shows times with three digits`(nanoseconds: Double, text: String) {
        #expect(Format.time(nanoseconds: nanoseconds) == text)
    }

    @Test(arguments: [(999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_500, "-1,500")])
    func `separates the thousands of whole numbers`(value: Double, text: String) {
        #expect(Format.whole(value) == text)
    }
}
