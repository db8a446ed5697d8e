import CairnTestSupport
import Foundation
import Testing

/// Tests dates in the tool's JSON.
@Suite struct `Dates in JSON` {
    private let fixture = Repository.file("Fixtures/Trails.sqlite").path

    /// Returns the values of an attribute from those lines of a dump that have it.
    private static func values(_ run: ToolRun, _ name: String) throws -> [Any] {
        try run.text.split(separator: "\n").compactMap { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let members = object as? [String: Any]
            return (members?["values"] as? [String: Any])?[name]
        }
    }

    @Test func `are the same as text and as numbers`() throws {
        let texts = try ToolRun(["store", "dump", fixture])
        let numbers = try ToolRun(["store", "dump", fixture, "--dates", "raw"])

        for name in ["takenAt", "opensOn", "joinedOn", "firstAscent"] {
            let written = try Self.values(texts, name).compactMap { $0 as? String }
            let stored = try Self.values(numbers, name).compactMap { $0 as? Double }
            #expect(!stored.isEmpty)
            #expect(try written.map(ISOReading.seconds) == stored)
        }
    }

    @Test func `are text in queries unless numbers are asked for`() throws {
        let query = [
            "store", "query", fixture, "--entity", "Hut", "--select", "opensOn", "--where",
            "opensOn != nil", "--sort", "opensOn", "--limit", "1", "--format",
        ]

        let text = try ToolRun(query + ["json"])
        let number = try ToolRun(query + ["json", "--dates", "raw"])
        let csv = try ToolRun(query + ["csv"])

        #expect(text.text == "{\"opensOn\":\"2026-01-04T13:21:00Z\"}\n", "\(text.errorText)")
        #expect(number.text == "{\"opensOn\":789225660}\n")
        #expect(csv.text == "opensOn\n2026-01-04T13:21:00Z\n")
    }
}
