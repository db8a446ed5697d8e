import BrokenEngineSupport
import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

@testable import CairnConformance
@testable import CairnTool

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The results of the kit as files and as a line to publish.
@Suite struct `Files with the results of the kit` {
    private let folder: TemporaryFolder
    private let report: ConformanceReport
    private let files: ReportFiles

    /// Runs some rules on a broken engine, and one that does not apply to it.
    init() throws {
        folder = try TemporaryFolder()
        let harness = FlawedHarness(flaw: try #require(Flaw.named("drops the last deletion")))
        let absent = ConformanceRule("a \"cloud\" & <rain>") { _ in
            throw RuleNotApplicable("it has no\n“weather” <\u{1}>")
        }
        let rules = try ConformanceRule.selected(topics: ["saving", "snapshots"]) + [absent]
        report = ConformanceRunner(harness, rules: rules, seed: .max).run()
        files = ReportFiles(
            json: folder.url.appending(path: "kit.json").path,
            junit: folder.url.appending(path: "kit.xml").path)
    }

    private func json(at path: String?) throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: try #require(path)))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private func xml(at path: String?) throws -> XMLDocument {
        try XMLDocument(contentsOf: URL(fileURLWithPath: try #require(path)), options: [])
    }

    @Test func `contain each rule with its result as JSON`() throws {
        try files.write(report)

        let object = try json(at: files.json)
        let rules = try #require(object["rules"] as? [[String: Any]])
        let counts = try #require(object["counts"] as? [String: Int])
        let broken = rules.filter { $0["result"] as? String == "broken" }
        #expect(object["format"] as? Int == 1)
        #expect(object["kit"] as? String == "0.1.0")
        #expect(object["engine"] as? String == report.type.rawValue)
        #expect(object["seed"] as? String == "18446744073709551615")
        #expect(object["passes"] as? Bool == false && object["isWholeKit"] as? Bool == false)
        #expect(rules.map { $0["rule"] as? String } == report.entries.map(\.rule.words))
        #expect(rules.first?["topic"] as? String == "saving")
        #expect(rules.allSatisfy { $0["seconds"] is Double })
        #expect(
            counts == [
                "kept": report.keptCount, "keptByTwin": report.twinCount, "notApplicable": 1,
                "broken": broken.count,
            ])
        #expect(!broken.isEmpty && broken.count == report.violations.count)
        let violation = try #require(broken.first?["violation"] as? [String: Any])
        #expect(violation["detail"] as? String == report.violations.first?.detail)
        #expect(violation["lastCalls"] as? [String] == report.violations.first?.steps)
        #expect((violation["check"] as? String)?.hasPrefix("CairnConformance/") == true)
        #expect(rules.last?["result"] as? String == "notApplicable")
        #expect(rules.last?["reason"] as? String == "it has no\n“weather” <\u{1}>")
    }

    @Test func `contain each rule with its result as test cases of JUnit`() throws {
        try files.write(report)

        let document = try xml(at: files.junit)
        let root = try #require(document.rootElement())
        let suites = root.elements(forName: "testsuite")
        let cases = suites.flatMap { $0.elements(forName: "testcase") }
        let failures = cases.flatMap { $0.elements(forName: "failure") }
        let skipped = try #require(cases.last?.elements(forName: "skipped").first)
        #expect(root.name == "testsuites")
        #expect(root.attribute(forName: "tests")?.stringValue == "\(report.entries.count)")
        #expect(root.attribute(forName: "failures")?.stringValue == "\(report.violations.count)")
        #expect(
            suites.map { $0.attribute(forName: "name")?.stringValue } == [
                "saving", "snapshots", "",
            ])
        #expect(suites.last?.attribute(forName: "skipped")?.stringValue == "1")
        #expect(
            cases.map { $0.attribute(forName: "name")?.stringValue }
                == report.entries.map(\.rule.words))
        #expect(
            (cases + suites + [root]).allSatisfy {
                Double($0.attribute(forName: "time")?.stringValue ?? "") != nil
            })
        #expect(failures.map(\.stringValue) == report.violations.map { "\($0)" })
        #expect(
            failures.map { $0.attribute(forName: "message")?.stringValue }
                == report.violations.map(\.detail))
        #expect(
            skipped.attribute(forName: "message")?.stringValue == "it has no\n“weather” <\u{FFFD}>")
    }

    @Test func `are followed by a line to publish if the whole kit was run`() {
        let all = ConformanceRule.all.map { rule in
            var empty = ConformanceRule(rule.words) { _ in }
            empty.topic = rule.topic
            return empty
        }
        var broken = all
        broken[0] = ConformanceRule(all[0].words) { _ in try require(false, "this holds") }
        broken[0].topic = all[0].topic
        broken[1] = ConformanceRule(all[1].words) { _ in throw RuleNotApplicable("it is small") }
        broken[1].topic = all[1].topic

        let kept = ConformanceRunner(PlainHarness(), rules: all).run()
        let other = ConformanceRunner(PlainHarness(), rules: broken).run()

        let count = all.count
        #expect(
            kept.verdict == "Plain passes Cairn's kit 0.1.0: \(count) kept, 0 not applicable")
        #expect(
            other.verdict
                == "Plain breaks Cairn's kit 0.1.0: 1 broken, \(count - 2) kept, 1 not applicable")
        #expect(report.verdict == nil)
        #expect(CairnTool.version == ConformanceReport.kitVersion)
    }

    @Test func `are written by an author's program`() throws {
        let worker = WorkerExecutable.built("TestWorker")
        let program = try ChildProcess(
            worker.url.path,
            [
                "conform", "drops the last deletion", "saving", "--json", files.json ?? "",
                "--junit", files.junit ?? "",
            ])
        _ = try program.output()

        let end = try program.end()

        let written = try json(at: files.json)
        let document = try xml(at: files.junit)
        #expect(end == .code(1))
        #expect((written["counts"] as? [String: Int])?["broken"] ?? 0 > 0)
        #expect(try !document.nodes(forXPath: "//failure").isEmpty)
    }

    @Test func `are written by the tool`() throws {
        let command = try ConformCommand.parse([
            "InMemory", "--topic", "saving", "--json", files.json ?? "", "--junit",
            files.junit ?? "",
        ])

        try command.run()

        let written = try json(at: files.json)
        let document = try xml(at: files.junit)
        #expect(written["engine"] as? String == "InMemory")
        #expect((written["counts"] as? [String: Int])?["broken"] == 0)
        #expect(try document.nodes(forXPath: "//failure").isEmpty)
    }

    @Test(arguments: ["--json", "--junit"])
    func `are refused with the reason if they cannot be written`(_ option: String) throws {
        let worker = WorkerExecutable.built("TestWorker")
        let path = folder.url.appending(path: "missing/kit").path
        let program = try ChildProcess(
            worker.url.path,
            ["conform", "is sound", "--rule", "a save of nothing", option, path])
        let text = String(decoding: try program.output(), as: UTF8.self)

        let end = try program.end()

        #expect(end == .code(1))
        #expect(text.contains("The results cannot be written to \(path): No such file"))
    }

    @Test(arguments: ["--json", "--junit"])
    func `need a path`(_ option: String) throws {
        let worker = WorkerExecutable.built("TestWorker")
        let program = try ChildProcess(worker.url.path, ["conform", "is sound", option])
        let text = String(decoding: try program.output(), as: UTF8.self)

        let end = try program.end()

        #expect(end == .code(2))
        #expect(text.contains("\(option) needs the path of a file."))
    }
}
