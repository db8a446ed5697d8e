import BrokenEngineSupport
import CairnConformance
import CairnProcesses
import CairnSQLite
import Foundation
import Synchronization
import Testing

@testable import CairnTool

@Suite struct `Runner of the kit` {
    private let broken: FlawedHarness

    init() throws {
        broken = FlawedHarness(flaw: try #require(Flaw.named("drops the last deletion")))
    }

    @Test func `reports broken rules, and continues`() throws {
        let rules = try #require(ConformanceTopic.named("saving")).rules

        let report = ConformanceRunner(broken, rules: rules).run()

        #expect(report.entries.count == rules.count)
        #expect(!report.isConforming)
        #expect(!report.violations.isEmpty)
        #expect(report.keptCount + report.twinCount + report.violations.count == rules.count)
        #expect(report.violations.allSatisfy { $0.rule.hasPrefix("saving: ") })
    }

    @Test func `reports a broken rule's location, its previous calls, and its seed`() throws {
        let report = ConformanceRunner(
            broken, rules: try ConformanceRule.selected(topics: ["saving"]), seed: 7
        ).run()

        let violation = try #require(report.violations.first)

        #expect(violation.ruleLocation?.file == "CairnConformance/SavingRules.swift")
        #expect(violation.check.file.hasPrefix("CairnConformance/"))
        #expect(violation.check.line > 0)
        #expect(violation.seed == 7)
        #expect(violation.steps.contains { $0.contains("prepare: ") && $0.contains("deletes ") })
        #expect(violation.steps.contains { $0.contains("commit → generation ") })
        for words in ["check: CairnConformance/", "rule: CairnConformance/", "seed: 7"] {
            #expect("\(violation)".contains(words))
        }
    }

    @Test func `records a call that was refused`() throws {
        let rule = ConformanceRule("is never kept") { store in
            _ = try? store.refusal { $0.delete(try store.id("Album", 9)) }
            try require(false, "this holds")
        }

        let violation = #expect(throws: RuleViolation.self) { try rule.run(on: PlainHarness()) }

        #expect(
            violation?.steps == [
                "1. beginSave", "2. prepare: deletes Album 9 threw .rowConflicts", "3. rollback",
            ])
        #expect(violation?.check.file == "CairnConformanceTests/RunnerTests.swift")
        #expect(violation?.rule == "is never kept")
    }

    @Test func `repeats the random choices of a rule with its seed`() throws {
        let drawn = Mutex<[UInt64]>([])
        let rule = ConformanceRule("draws") { store in drawn.withLock { $0.append(store.seed) } }

        try rule.run(on: PlainHarness(), seed: 5)
        _ = ConformanceRunner(PlainHarness(), rules: [rule, rule], seed: 6).run()
        try rule.run(on: PlainHarness())
        try rule.run(on: PlainHarness())

        let seeds = drawn.withLock { $0 }
        #expect(seeds.prefix(3) == [5, 6, 6])
        #expect(seeds[3] != seeds[4])
    }

    @Test func `repeats the saves and fetches of an earlier run`() throws {
        let rules = try ConformanceRule.selected(words: "random saves")
        let flawed = FlawedHarness(flaw: try #require(Flaw.named("cuts order keys to 32 bits")))
        let first = ConformanceRunner(flawed, rules: rules).run()

        let again = ConformanceRunner(flawed, rules: rules, seed: first.seed).run()

        #expect(rules.count == 1 && first.violations.count == 1)
        #expect(again.violations.first?.detail == first.violations.first?.detail)
    }

    @Test func `reports rules about missing features as not applicable`() throws {
        let waiting = try ConformanceRule.selected(topics: ["concurrency"], words: "a save ")
        let derived = try ConformanceRule.selected(topics: ["derived attributes"])
        let opening = try ConformanceRule.selected(words: "derived attributes are computed, or")

        let report = ConformanceRunner(PlainHarness(), rules: waiting + derived + opening).run()

        #expect(report.notApplicable.count == waiting.count + derived.count + 1)
        #expect(report.keptCount == 0 && report.violations.isEmpty)
        #expect(!report.isConforming)
        #expect(report.summary.contains("\(report.entries.count) not applicable"))
        #expect(report.entries[0].line?.hasSuffix("it has no option “timeout”") == true)
    }

    @Test func `announces each rule before it runs`() throws {
        let rules = try ConformanceRule.selected(topics: ["opening"])
        var lines: [String] = []

        _ = ConformanceRunner(PlainHarness(), rules: Array(rules.prefix(2))).run(
            begin: { lines.append("\($0)") })

        #expect(lines == ["[1/2] \(rules[0])", "[2/2] \(rules[1])"])
    }

    @Test func `chooses rules by topic and by words`() throws {
        let exact = try ConformanceRule.selected(words: "a save of nothing succeeds")
        let part = try ConformanceRule.selected(topics: ["saving"], words: "A SAVE")

        #expect(exact.map(\.words) == ["a save of nothing succeeds"])
        #expect(part.count >= 1 && part.allSatisfy { $0.topic == "saving" })
        #expect(throws: RuleSelectionError.self) {
            try ConformanceRule.selected(topics: ["weather"])
        }
        #expect(throws: RuleSelectionError.self) { try ConformanceRule.selected(words: "weather") }
    }

    @Test func `does not call an engine conforming if no rule was run`() {
        #expect(!ConformanceRunner(broken, rules: []).run().isConforming)
    }

    @Test func `fails the tool for a broken engine`() throws {
        let command = try ConformCommand.parse(["Broken", "--topic", "saving"])

        #expect(throws: ToolFailure.self) { try command.run(on: broken) }
    }

    @Test func `lets the tool succeed for a correct engine`() throws {
        let command = try ConformCommand.parse(["InMemory", "--topic", "saving"])

        #expect(throws: Never.self) { try command.run() }
    }

    @Test func `lets the tool run one rule with a seed`() throws {
        let command = try ConformCommand.parse([
            "Broken", "--rule", "random saves", "--seed", "12",
        ])

        #expect(throws: ToolFailure.self) { try command.run(on: broken) }
        #expect(command.seed == 12)
    }

    @Test(arguments: [
        ["InMemory", "--topic", "weather"], [], ["InMemory", "--rule", "weather"],
        ["InMemory", "--seed", "x"],
    ])
    func `refuses a command that makes no sense`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try ConformCommand.parse(arguments) }
    }

    @Test(arguments: [("drops the last deletion", 1), ("is sound", 0)])
    func `ends a program with its verdict as exit code`(engine: String, code: Int32) throws {
        let worker = WorkerExecutable.built("TestWorker")
        let program = try ChildProcess(worker.url.path, ["conform", engine, "saving"])

        let text = String(decoding: try program.output(), as: UTF8.self)

        #expect(try program.end() == .code(code))
        #expect(text.contains("broken  “saving: ") == (code == 1))
        #expect(text.contains("rules kept"))
    }

    @Test(arguments: [
        (["--list"], 0, "saving: a save of nothing succeeds"),
        (["--rule", "a save of nothing", "--seed", "3"], 0, "(seed 3)"),
        (["--rule"], 2, "--rule needs"), (["--seed", "x"], 2, "--seed needs"),
        (["--rule", "weather"], 2, "No rule contains"),
    ])
    func `accepts a program's arguments`(
        arguments: [String], code: Int32, words: String
    ) throws {
        let worker = WorkerExecutable.built("TestWorker")
        let program = try ChildProcess(worker.url.path, ["conform", "is sound"] + arguments)

        let text = String(decoding: try program.output(), as: UTF8.self)

        #expect(try program.end() == .code(code))
        #expect(text.contains(words))
    }

    @Test func `reports rules about other processes as broken if it has no worker`() throws {
        let rules = try #require(ConformanceTopic.named("several processes")).rules

        let report = ConformanceRunner(EngineHarness(SQLiteStore.self), rules: rules).run()

        #expect(report.violations.count == rules.count)
        #expect(report.violations.allSatisfy { $0.detail.contains("WorkerExecutable") })
    }

    @Test func `has unique names for all rules`() {
        let names = ConformanceRule.all.map(\.description)

        #expect(Set(names).count == names.count)
        #expect(
            ConformanceRule.all.allSatisfy { ($0.need == nil) == ($0.alternativePromise == nil) })
    }

    @Test func `knows the location of each rule`() {
        let locations = ConformanceRule.all.map(\.location)

        #expect(locations.allSatisfy { $0.file.hasSuffix("Rules.swift") })
        // Rules that are generated for each attribute type share a line.
        #expect(Set(locations).count > 120)
    }
}
