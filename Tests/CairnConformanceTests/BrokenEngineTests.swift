import CairnConformance
import CairnStore
import Testing

@testable import CairnTool

@Suite struct `Broken engines` {
    static let flaws =
        Flaw.ofOpening + Flaw.ofSaving + Flaw.ofConflicts + Flaw.ofReopening + Flaw.ofValues
        + Flaw.ofReading + Flaw.ofFetching + Flaw.ofRelationships + Flaw.ofSnapshots

    @Test(arguments: flaws)
    func `are each caught by a rule`(_ flaw: Flaw) throws {
        let topic = try #require(ConformanceTopic.named(flaw.topic))
        let harness = FlawedHarness(flaw: flaw)

        let caught = topic.rules.contains { rule in
            do throws(RuleViolation) {
                try rule.run(on: harness)
                return false
            } catch {
                return true
            }
        }

        #expect(caught, "no rule of “\(topic.name)” notices an engine that \(flaw.name)")
    }

    @Test func `are many, and each is another one`() {
        #expect(Self.flaws.count >= 40)
        #expect(Set(Self.flaws.map(\.name)).count == Self.flaws.count)
    }

    @Test(arguments: ConformanceRule.all)
    func `are caught for their flaw and not for being wrapped`(_ rule: ConformanceRule) throws {
        try rule.run(on: FlawedHarness(flaw: Flaw("is sound", noticedBy: rule.topic)))
    }
}

@Suite struct `Runner of the kit` {
    private let broken = FlawedHarness(
        flaw: Flaw("drops the last deletion", noticedBy: "saving") {
            $0.requested = { (request, _) in _ = request.deleted.popLast() }
        })

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

    @Test func `has names for all rules, no two the same`() {
        let names = ConformanceRule.all.map(\.description)

        #expect(Set(names).count == names.count)
        #expect(ConformanceRule.all.allSatisfy { ($0.need == nil) == ($0.twinWords == nil) })
    }
}
