import BrokenEngines
import CairnConformance
import CairnProcesses
import CairnSQLite
import Foundation
import Testing

@testable import CairnTool

@Suite struct `Runner of the kit` {
    private let broken: FlawedHarness

    init() throws {
        broken = FlawedHarness(flaw: try #require(Flaw.named("drops the last deletion")))
    }

    @Test func `reports what is broken, and goes on`() throws {
        let rules = try #require(ConformanceTopic.named("saving")).rules

        let report = ConformanceRunner(broken, rules: rules).run()

        #expect(report.entries.count == rules.count)
        #expect(!report.isConforming)
        #expect(!report.violations.isEmpty)
        #expect(report.keptCount + report.twinCount + report.violations.count == rules.count)
        #expect(report.violations.allSatisfy { $0.rule.hasPrefix("saving: ") })
    }

    @Test func `does not call an engine conforming of which nothing was proved`() {
        #expect(!ConformanceRunner(broken, rules: []).run().isConforming)
    }

    @Test func `fails the tool for a broken engine`() throws {
        let command = try ConformCommand.parse(["Broken", "--topic", "saving"])

        #expect(throws: ToolFailure.self) { try command.run(on: broken) }
    }

    @Test func `lets the tool end well for a sound engine`() throws {
        let command = try ConformCommand.parse(["InMemory", "--topic", "saving"])

        #expect(throws: Never.self) { try command.run() }
    }

    @Test(arguments: [["InMemory", "--topic", "weather"], []])
    func `refuses a command that makes no sense`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try ConformCommand.parse(arguments) }
    }

    @Test(arguments: [("drops the last deletion", 1), ("is sound", 0)])
    func `ends a program with its verdict as exit code`(engine: String, code: Int32) throws {
        let worker = WorkerExecutable.built("ConformanceTestWorker")
        let program = try ChildProcess(worker.url.path, [engine, "saving"])

        let text = String(decoding: try program.output(), as: UTF8.self)

        #expect(try program.end() == .code(code))
        #expect(text.contains("broken  “saving: ") == (code == 1))
        #expect(text.contains("rules kept"))
    }

    @Test func `breaks rules about other processes where it is given no worker`() throws {
        let rules = try #require(ConformanceTopic.named("several processes")).rules

        let report = ConformanceRunner(EngineHarness(SQLiteStore.self), rules: rules).run()

        #expect(report.violations.count == rules.count)
        #expect(report.violations.allSatisfy { $0.detail.contains("WorkerExecutable") })
    }

    @Test func `has names for all rules, no two the same`() {
        let names = ConformanceRule.all.map(\.description)

        #expect(Set(names).count == names.count)
        #expect(ConformanceRule.all.allSatisfy { ($0.need == nil) == ($0.twinWords == nil) })
    }
}
