import CairnModel
import Foundation

/// The files that a run of the kit writes its results to.
package struct ReportFiles: Sendable {
    /// The path of the JSON file, or `nil` for no file.
    package var json: String?
    /// The path of the file in JUnit's XML format, which most CI services read, or `nil` for no file.
    package var junit: String?

    /// Names the files.
    package init(json: String? = nil, junit: String? = nil) {
        self.json = json
        self.junit = junit
    }

    /// An error that says which file could not be written, and why.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The path, the cause, and what to do.
        package let description: String
    }

    /// Writes the results. Replaces existing files.
    ///
    /// - Throws: ``Failure``.
    package func write(_ report: ConformanceReport) throws {
        if let json { try Self.write(try report.json(), to: json) }
        if let junit { try Self.write(Data(report.junit.utf8), to: junit) }
    }

    private static func write(_ content: Data, to path: String) throws(Failure) {
        let isWritten = content.withUnsafeBytes { bytes in
            guard let file = fopen(path, "w") else { return false }
            let count = fwrite(bytes.baseAddress, 1, bytes.count, file)
            return fclose(file) == 0 && count == bytes.count
        }
        if isWritten { return }
        let reason = String(cString: strerror(errno))
        throw Failure(
            description: "The results cannot be written to \(path): \(reason). Name a file in a"
                + " folder that exists and that you may write to.")
    }
}

extension ConformanceReport {
    /// The results as JSON, in the form that `docs/adding-an-engine.md` describes.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(JSONReport(self)) + Data("\n".utf8)
    }

    /// The results in JUnit's XML format: a suite for each topic, and a test case for each rule.
    var junit: String {
        let suites = Dictionary(grouping: entries, by: \.rule.topic)
        var topics: [String] = []
        for entry in entries where topics.last != entry.rule.topic {
            topics.append(entry.rule.topic)
        }
        let name = "\(type) on Cairn's kit \(Self.kitVersion), seed \(seed)"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(name.xmlEscaped)" \(Self.junitCounts(entries))>
            \(topics.map { junitSuite($0, suites[$0] ?? []) }.joined(separator: "\n"))
            </testsuites>

            """
    }

    private func junitSuite(_ topic: String, _ entries: [Entry]) -> String {
        let skipped = entries.count { $0.reasonNotApplicable != nil }
        let cases = entries.map { entry in
            "    <testcase classname=\"\("\(type).\(topic)".xmlEscaped)\""
                + " name=\"\(entry.rule.words.xmlEscaped)\" time=\"\(entry.duration.inSeconds)\""
                + Self.junitResult(entry)
        }
        return """
              <testsuite name="\(topic.xmlEscaped)" \(Self.junitCounts(entries)) skipped="\(skipped)">
            \(cases.joined(separator: "\n"))
              </testsuite>
            """
    }

    private static func junitCounts(_ entries: [Entry]) -> String {
        let failures = entries.count { $0.violation != nil }
        let seconds = entries.reduce(Duration.zero) { $0 + $1.duration }.inSeconds
        return
            "tests=\"\(entries.count)\" failures=\"\(failures)\" errors=\"0\" time=\"\(seconds)\""
    }

    /// Returns the end of a test case's element.
    private static func junitResult(_ entry: Entry) -> String {
        if let violation = entry.violation {
            return """
                >
                      <failure type="RuleViolation" message="\(violation.detail.xmlEscaped)">\
                \("\(violation)".xmlEscaped)</failure>
                    </testcase>
                """
        }
        guard let reason = entry.reasonNotApplicable else { return "/>" }
        return ">\n      <skipped message=\"\(reason.xmlEscaped)\"/>\n    </testcase>"
    }
}

/// The JSON form of a report. Later versions may add members; a change of a member's meaning increases
/// `format`.
private struct JSONReport: Encodable {
    struct Rule: Encodable {
        struct Violation: Encodable {
            let detail: String
            let check: String
            let rule: String?
            let lastCalls: [String]
        }

        let topic: String
        let rule: String
        let result: String
        let seconds: Double
        var twin: String?
        var reason: String?
        var violation: Violation?

        init(_ entry: ConformanceReport.Entry) {
            topic = entry.rule.topic
            rule = entry.rule.words
            seconds = entry.duration.inSeconds
            switch entry.outcome {
            case .kept: result = "kept"
            case .alternativeKept:
                result = "keptByTwin"
                twin = entry.rule.alternativePromise
            case .notApplicable(let text):
                result = "notApplicable"
                reason = text
            case nil:
                result = "broken"
                violation = entry.violation.map { violation in
                    Violation(
                        detail: violation.detail, check: "\(violation.check)",
                        rule: violation.ruleLocation.map { "\($0)" }, lastCalls: violation.steps)
                }
            }
        }
    }

    let format = 1
    let kit = ConformanceReport.kitVersion
    let engine: String
    /// Text, because many readers of JSON round large numbers.
    let seed: String
    let isWholeKit: Bool
    let passes: Bool
    let counts: [String: Int]
    let rules: [Rule]

    init(_ report: ConformanceReport) {
        engine = report.type.rawValue
        seed = "\(report.seed)"
        isWholeKit = report.isWholeKit
        passes = report.isWholeKit && report.isConforming
        counts = [
            "kept": report.keptCount, "keptByTwin": report.twinCount,
            "notApplicable": report.notApplicable.count, "broken": report.violations.count,
        ]
        rules = report.entries.map(Rule.init)
    }
}

extension Duration {
    /// The duration in seconds, with three decimals.
    fileprivate var inSeconds: Double { (self / .milliseconds(1)).rounded() / 1_000 }
}
