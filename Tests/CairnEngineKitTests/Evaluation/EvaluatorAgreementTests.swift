import CairnModel
import CairnTestSupport
import Foundation
import Testing

@testable import CairnEngineKit

@Suite struct `Evaluators` {
    @Test func `agree on rows and on plain values, for random predicates`() throws {
        let seed = SeededRandom.seed(of: "evaluators on rows and on values")
        var random = RandomLibrary(seed: seed)
        let fixture = try random.library()
        let author = try fixture.entity("Author")
        let items = fixture.ids(of: author).compactMap { fixture.items[$0] }
        var matchCount = 0

        for _ in 0..<1_500 {
            let text = random.predicate(depth: 3)
            let predicate = try FetchPredicate(format: text).bound(to: author)
            let now = Date(timeIntervalSinceReferenceDate: 0)
            let rows = try RowFilter(
                predicate, layouts: fixture.layouts, resolver: fixture, now: now)
            let values = try ObjectFilter(
                predicate, source: ItemSource(fixture: fixture), now: now)
            for item in items {
                let row = try #require(fixture.rows[item.id])
                let (byRow, byValue) = (try rows.matches(row), try values.matches(item))
                try #require(byRow == byValue, "seed \(seed), key \(item.id.key): \(text)")
                matchCount += byRow ? 1 : 0
            }
        }

        #expect(matchCount > 1_000, "the predicates should match now and then")
    }
}

/// Authors whose values are near the limits of their types, and predicates on them.
private struct RandomLibrary {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func pick(_ count: Int) -> Int { .random(in: 0..<count, using: &random) }

    private mutating func one<T>(of choices: [T]) -> T { choices[pick(choices.count)] }

    mutating func library() throws -> EvaluationFixture {
        let fixture = try EvaluationFixture()
        for key in 1...40 as ClosedRange<Int64> {
            var values: [String: Value] = [:]
            for (name, choices) in Self.values where pick(4) > 0 { values[name] = one(of: choices) }
            if pick(2) == 0 {
                values["mentor"] = .objectID(try fixture.id("Author", Int64(pick(42) + 1)))
            }
            try fixture.insert(pick(4) == 0 ? "Poet" : "Author", key, values)
        }
        for key in 1...60 as ClosedRange<Int64> {
            var values: [String: Value] = [
                "author": .objectID(try fixture.id("Author", Int64(pick(42) + 1)))
            ]
            if pick(3) > 0 { values["pages"] = .integer(Int64(pick(5))) }
            if pick(3) > 0 { values["title"] = one(of: Self.values["name"] ?? []) }
            try fixture.insert("Book", key, values)
        }
        return fixture
    }

    private static let values: [String: [Value]] = [
        "name": ["", "a", "A", "\u{E9}", "e\u{301}", "Stra\u{DF}e", "STRASSE", "ab*c", "\u{FB03}"],
        "age": [-1, 0, 1, 2, 30], "rank": [-5, 0, 1, 2],
        "count": [.integer(.min), 0, 1, 2, .integer(.max)],
        "isAlive": [true, false],
        "born": [.date(Date(timeIntervalSinceReferenceDate: 0)), .date(.distantFuture)],
        "rating": [.float(0.1), .float(.nan), .float(-0.0), .float(2)],
        "score": [0.1, -0.0, 0.0, 1.0, .double(.nan), .double(.infinity), 2.0],
        "balance": [.decimal(0), .decimal(1), .decimal(Decimal(string: "0.1")!)],
    ]

    mutating func predicate(depth: Int) -> String {
        switch depth > 0 ? pick(5) : 0 {
        case 0, 1: comparison()
        case 2: "(\(predicate(depth: depth - 1)) AND \(predicate(depth: depth - 1)))"
        case 3: "(\(predicate(depth: depth - 1)) OR \(predicate(depth: depth - 1)))"
        default: "NOT (\(predicate(depth: depth - 1)))"
        }
    }

    private mutating func comparison() -> String {
        let option = one(of: ["", "", "[c]", "[d]", "[cd]"])
        switch pick(9) {
        case 0...2: return "\(number()) \(order()) \(one(of: [literal(), literal(), number()]))"
        case 3: return "\(number()) IN {\(literal()), \(literal()), \(literal())}"
        case 4: return "\(number()) BETWEEN {\(literal()), \(literal())}"
        case 5: return "\(text()) \(order())\(option) \(textLiteral())"
        case 6:
            let word = one(of: ["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE"])
            return "\(text()) \(word)\(option) \(one(of: [textLiteral(), text()]))"
        case 7: return "\(text()) IN\(option) {\(textLiteral()), \(textLiteral())}"
        default:
            let modifier = one(of: ["ANY", "ALL", "NONE"])
            return one(of: [
                "\(modifier) books.pages \(order()) \(literal())",
                "\(modifier) books.title =\(option) \(textLiteral())",
                "SUBQUERY(books, $b, $b.pages \(order()) \(literal())).@count > \(pick(2))",
                "mentor.mentor = NULL", "mentor != NULL",
            ])
        }
    }

    private mutating func number() -> String {
        one(of: [
            "age", "rank", "count", "isAlive", "born", "rating", "score", "balance", "mentor.age",
            "books.@sum.pages", "age + rank", "books.@count",
        ])
    }
    private mutating func text() -> String {
        one(of: ["name", "name", "mentor.name", "books.@max.title", "canonical:(name)"])
    }
    private mutating func order() -> String { one(of: ["=", "!=", "<", "<=", ">", ">="]) }
    private mutating func literal() -> String {
        one(of: [
            "0", "1", "2", "-1", "0.1", "1.5", "-0.0", "NULL", "TRUE", "30", "1e30",
            "CAST('nan', 'Double')", "9223372036854775807", "CAST('0.1', 'NSDecimalNumber')",
        ])
    }
    private mutating func textLiteral() -> String {
        one(of: ["''", "'a'", "'\u{E9}'", "'e'", "'strasse'", "'*'", "'\u{DF}'", "NULL", "'A*'"])
    }
}
