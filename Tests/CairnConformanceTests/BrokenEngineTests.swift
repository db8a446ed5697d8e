import BrokenEngineSupport
import CairnConformance
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Broken engines` {
    @Test(arguments: Flaw.all)
    func `are each caught by a rule`(_ flaw: Flaw) throws {
        let topic = try #require(ConformanceTopic.named(flaw.topic))
        let harness = FlawedHarness(flaw: flaw)

        let caught = Self.rules(of: topic, likelyFirstFor: flaw).contains { rule in
            do throws(RuleViolation) {
                try rule.run(on: harness)
                return false
            } catch {
                return true
            }
        }

        #expect(caught, "no rule of “\(topic.name)” notices an engine that \(flaw.name)")
    }

    /// Returns all rules of a topic. The rules that share words with the flaw's name come first: usually one
    /// of them notices the flaw, and the others need not be tried.
    private static func rules(
        of topic: ConformanceTopic, likelyFirstFor flaw: Flaw
    ) -> [ConformanceRule] {
        let words = Set(flaw.name.split(separator: " ").filter { $0.count > 3 })
        let ranked = topic.rules.enumerated().map { index, rule in
            let shared = words.intersection(rule.description.split(separator: " "))
            return (rule: rule, rank: (-shared.count, index))
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.rule)
    }

    @Test func `are many, and all different`() {
        #expect(Flaw.all.count >= 160)
        #expect(Set(Flaw.all.map(\.name)).count == Flaw.all.count)
    }

    @Test func `exist for every topic of the kit`() {
        #expect(FlawTopic.allCases.map(\.rawValue) == ConformanceTopic.all.map(\.name))
        #expect(FlawTopic.allCases.filter(\.flaws.isEmpty).isEmpty)
    }

    /// A reader of a file of rules finds the flaws that the rules notice in a file of the same name.
    @Test func `are in files with the names of the rules' files`() throws {
        let rules = try names(in: "Sources/CairnConformance/Rules", before: "Rules.swift")
        let flaws = try names(in: "Tests/BrokenEngineSupport/Flaws", before: "Flaws.swift")

        #expect(flaws == rules)
        #expect(rules.count > 20)
    }

    private func names(in folder: String, before suffix: String) throws -> [String] {
        let folder = Repository.root.appending(path: folder).path
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .map { $0.hasSuffix(suffix) ? String($0.dropLast(suffix.count)) : $0 }
    }

    @Test func `are not caught if they report correct changes`() throws {
        let topic = try #require(ConformanceTopic.named("snapshots"))

        for rule in topic.rules { try rule.run(on: FlawedHarness(flaw: .soundWithChanges)) }
    }

    @Test(arguments: ["reading", "fetching", "snapshots", "concurrency"])
    func `are not caught for batches that are shorter than asked for`(_ name: String) throws {
        let topic = try #require(ConformanceTopic.named(name))

        for rule in topic.rules { try rule.run(on: FlawedHarness(flaw: .soundWithShortBatches)) }
    }

    @Test func `are not caught if they divide fetches correctly`() throws {
        let topic = try #require(ConformanceTopic.named("fetching"))

        for rule in topic.rules { try rule.run(on: FlawedHarness(flaw: .soundWithParts)) }
    }

    @Test(arguments: ConformanceRule.all)
    func `are caught for their flaw, not for being wrapped`(_ rule: ConformanceRule) throws {
        try rule.run(on: FlawedHarness(flaw: .sound))
    }
}
