import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import CairnXML
import Foundation
import Testing

/// The engine does not read back the objects of a new file before it replaces the old file. These tests read
/// them.
@Suite struct `Values in XML` {
    private static let model = Result {
        try ManagedObjectModel([
            EntityDescription(
                "Thing",
                [
                    .attribute("date", .date), .attribute("double", .double),
                    .attribute("float", .float), .attribute("flag", .boolean),
                    .attribute("large", .integer64), .attribute("link", .uri),
                    .attribute("medium", .integer32), .attribute("small", .integer16),
                    .attribute("text", .string),
                ])
        ])
    }

    /// Saves things with the given values. Returns the file's text and the values read back.
    private func store(
        _ things: [[String: Value]]
    ) throws -> (text: String, values: [[String: Value]]) {
        let folder = try TemporaryFolder()
        let file = folder.file("things")
        let request = OpenRequest(location: .file(file), model: try Self.model.get())
        let entity = try #require(request.model.entity(named: "Thing"))
        let layout = request.layouts.layout(of: entity)
        let store = try XMLStore.open(request)
        var writer = RowWriter(store: store.number)
        for (index, values) in things.enumerated() {
            writer.begin(layout, key: Int64(index) + 1, version: 1)
            for (property, slot) in zip(layout.properties, layout.slots) {
                try writer.set(values[property.name] ?? .null, at: slot, of: layout)
            }
            writer.endRow()
        }
        let save = try store.beginSave()
        try save.prepare(SaveRequest(inserted: writer.takeBatch()))
        _ = try save.commit()
        try store.close()

        let reopened = try XMLStore.open(request)
        let cursor = try reopened.snapshot().cursor(FetchPlan(entity: entity))
        var read: [[String: Value]] = []
        while let batch = try cursor.next(atMost: 1000) {
            for row in batch.rows {
                var values: [String: Value] = [:]
                for (property, slot) in zip(layout.properties, layout.slots)
                where !row.isNull(slot) {
                    values[property.name] = row.value(slot)
                }
                read.append(values)
            }
        }
        return (try String(contentsOf: file, encoding: .utf8), read)
    }

    private static func bits(_ values: [String: Value]) -> [String: String] {
        values.mapValues { value in
            switch value {
            case .double(let number): "\(number.bitPattern)"
            case .float(let number): "\(number.bitPattern)"
            case .date(let date): "\(date.timeIntervalSinceReferenceDate.bitPattern)"
            case .string(let text): "\(Array(text.utf8))"
            default: "\(value)"
            }
        }
    }

    @Test func `are read exactly as they were written`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let things = (0..<1500).map { _ in Self.thing(&random) }

        let read = try store(things).values

        try #require(read.count == things.count)
        for (thing, found) in zip(things, read) {
            try #require(Self.bits(found) == Self.bits(thing), "seed \(seed)")
        }
    }

    @Test func `have dates with the 20 decimals that printf writes`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        var dates: [Double] = [1, -1, 1.5, 0x1.0000000000001p0, 0x1.fffffffffffffp0]
        dates += (0..<2000).map { _ in Self.seconds(&random) }
        let shown = dates.filter { $0.magnitude < 1e15 && ($0 == 0 || $0.magnitude > 1e-3) }

        let text = try store(
            shown.map { ["date": .date(Date(timeIntervalSinceReferenceDate: $0))] }
        ).text

        let found = text.components(separatedBy: "type=\"date\">").dropFirst()
            .map { $0.components(separatedBy: "<")[0] }
        let expected = shown.map { String(format: "%.20f", $0) }
        #expect(found == expected, "seed \(seed)")
    }

    @Test(arguments: ["1e3", "+1.5", ".5", "5.", "0x1p3", "00012.50", "1.00000000000000000000000"])
    func `are read as Swift reads them, in whatever form they are written`(_ text: String) throws {
        let (written, _) = try store([["double": 0.75]])
        let changed = written.replacingOccurrences(of: ">0.75<", with: ">\(text)<")
            .components(separatedBy: "<!-- cairn")[0]
        let folder = try TemporaryFolder()
        try Data(changed.utf8).write(to: folder.file("things"))
        let request = OpenRequest(
            location: .file(folder.file("things")), model: try Self.model.get())

        let store = try XMLStore.open(request)

        let entity = try #require(request.model.entity(named: "Thing"))
        let row = try #require(
            try store.snapshot().cursor(FetchPlan(entity: entity)).next(atMost: 1)?.rows
                .first { _ in true })
        let slot = try #require(request.layouts.layout(of: entity).slot(named: "double"))
        #expect(row.double(slot) == Double(text))
    }

    // MARK: Random values

    private static func thing(_ random: inout SeededRandom) -> [String: Value] {
        var values: [String: Value] = [
            "date": .date(Date(timeIntervalSinceReferenceDate: seconds(&random))),
            "double": .double(double(&random)), "flag": .boolean(Bool.random(using: &random)),
            "float": .float(Float(double(&random))),
            "large": .integer(integer(&random)),
            "medium": .integer(Int64(Int32(truncatingIfNeeded: integer(&random)))),
            "small": .integer(Int64(Int16(truncatingIfNeeded: integer(&random)))),
            "text": .string(text(&random)),
        ]
        for name in values.keys.sorted() where Int.random(in: 0..<5, using: &random) == 0 {
            values[name] = nil
        }
        return values
    }

    private static func integer(_ random: inout SeededRandom) -> Int64 {
        let borders: [Int64] = [.min, .max, 0, -1, 9, 10, 99, 100, -10]
        let number = Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random))
        return Bool.random(using: &random) ? number : borders.randomElement(using: &random) ?? 0
    }

    /// Returns a double with a random exponent, a short decimal number, or an extreme value.
    private static func double(_ random: inout SeededRandom) -> Double {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let any = Double(bitPattern: random.next())
            return any.isNaN ? 0 : any
        case 1: return Double(Int.random(in: -9_999_999...9_999_999, using: &random)) / 1000
        case 2:
            let borders: [Double] = [
                0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
                .greatestFiniteMagnitude, 0.1,
                9_007_199_254_740_992, 1e22, 1e23,
            ]
            return borders.randomElement(using: &random) ?? 0
        default: return seconds(&random)
        }
    }

    /// Returns a time interval as dates contain it, positive or negative, with a fraction of random length.
    private static func seconds(_ random: inout SeededRandom) -> Double {
        let whole = Double(random.next() >> UInt64.random(in: 20..<64, using: &random))
        let fraction = Double(random.next() >> 11) * 0x1p-53
        let cut = Double(1 << Int.random(in: 0..<53, using: &random))
        let value = whole + (fraction * cut).rounded(.down) / cut
        return Bool.random(using: &random) ? value : -value
    }

    private static func text(_ random: inout SeededRandom) -> String {
        let parts = [
            "a", "text", "&", "<", ">", "\"", "'", "\r", "\n", "\t", "\r\n", "]]>", "&amp;",
            "&#38;", "\0", "\u{1}", "\u{7F}", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "\u{E9}",
            "\u{1F600}", "e\u{301}", "\u{85}", "\u{2028}", " ",
        ]
        let count = Int.random(in: 0..<12, using: &random)
        return (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    }
}
