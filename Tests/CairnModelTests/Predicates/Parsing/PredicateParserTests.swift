import Foundation
import Testing

@testable import CairnModel

@Suite struct `Predicate parser` {
    struct Sample: CustomTestStringConvertible, Sendable {
        let text: String
        let expected: FetchPredicate
        var testDescription: String { text }

        init(_ text: String, _ expected: FetchPredicate) {
            self.text = text
            self.expected = expected
        }
    }

    static func compare(
        _ left: FetchExpression, _ operator: PredicateComparison.Operator,
        _ right: FetchExpression, _ modifier: PredicateComparison.Modifier = .direct,
        _ options: PredicateComparison.Options = []
    ) -> FetchPredicate {
        .comparison(
            PredicateComparison(left, `operator`, right, modifier: modifier, options: options))
    }

    static let a = compare(.keyPath(["a"]), .equal, .constant(1))
    static let b = compare(.keyPath(["b"]), .equal, .constant(2))
    static let c = compare(.keyPath(["c"]), .equal, .constant(3))

    static let samples: [Sample] = [
        Sample("a = 1", a), Sample("a==1", a), Sample("(a = 1)", a), Sample("((a) = (1))", a),
        Sample("a != 1", compare(.keyPath(["a"]), .notEqual, .constant(1))),
        Sample("a <> 1", compare(.keyPath(["a"]), .notEqual, .constant(1))),
        Sample("a < 1", compare(.keyPath(["a"]), .lessThan, .constant(1))),
        Sample("a =< 1", compare(.keyPath(["a"]), .lessThanOrEqual, .constant(1))),
        Sample("a <= 1", compare(.keyPath(["a"]), .lessThanOrEqual, .constant(1))),
        Sample("a => 1", compare(.keyPath(["a"]), .greaterThanOrEqual, .constant(1))),
        Sample("a >= 1", compare(.keyPath(["a"]), .greaterThanOrEqual, .constant(1))),
        Sample("a = 1 AND b = 2 && c = 3", .and([a, b, c])),
        Sample("a = 1 OR b = 2 || c = 3", .or([a, b, c])),
        Sample("a = 1 or b = 2 and c = 3", .or([a, .and([b, c])])),
        Sample("(a = 1 OR b = 2) AND c = 3", .and([.or([a, b]), c])),
        Sample("NOT a = 1 AND b = 2", .and([.not(a), b])),
        Sample("NOT (a = 1 AND b = 2)", .not(.and([a, b]))),
        Sample("!a = 1", .not(a)), Sample("not not a = 1", .not(.not(a))),
        Sample("TRUEPREDICATE", .constant(true)), Sample("falsepredicate", .constant(false)),
        Sample(
            "a BEGINSWITH[cd] 'x'",
            compare(
                .keyPath(["a"]), .beginsWith, .constant("x"), .direct,
                [.caseInsensitive, .diacriticInsensitive])),
        Sample("a endswith \"x\"", compare(.keyPath(["a"]), .endsWith, .constant("x"))),
        Sample(
            "a CONTAINS [c] 'x'",
            compare(.keyPath(["a"]), .contains, .constant("x"), .direct, [.caseInsensitive])),
        Sample(
            "a LIKE[n] '*'", compare(.keyPath(["a"]), .like, .constant("*"), .direct, [.normalized])
        ),
        Sample("a MATCHES '\\\\d+'", compare(.keyPath(["a"]), .matches, .constant("\\d+"))),
        Sample(
            "a ==[c] 'x'",
            compare(.keyPath(["a"]), .equal, .constant("x"), .direct, [.caseInsensitive])),
        Sample("a IN {1, 2}", compare(.keyPath(["a"]), .in, .list([.constant(1), .constant(2)]))),
        Sample("a IN (1, 2)", compare(.keyPath(["a"]), .in, .list([.constant(1), .constant(2)]))),
        Sample("a IN (1)", compare(.keyPath(["a"]), .in, .list([.constant(1)]))),
        Sample("a IN {}", compare(.keyPath(["a"]), .in, .list([]))),
        Sample(
            "a BETWEEN {1, 10}",
            compare(.keyPath(["a"]), .between, .list([.constant(1), .constant(10)]))),
        Sample("ANY t.n = 'x'", compare(.keyPath(["t", "n"]), .equal, .constant("x"), .any)),
        Sample("SOME t.n = 'x'", compare(.keyPath(["t", "n"]), .equal, .constant("x"), .any)),
        Sample("ALL t.n = 'x'", compare(.keyPath(["t", "n"]), .equal, .constant("x"), .all)),
        Sample("NONE t.n = 'x'", compare(.keyPath(["t", "n"]), .equal, .constant("x"), .none)),
        Sample("t.@count > 0", compare(.keyPath(["t", "@count"]), .greaterThan, .constant(0))),
        Sample("t.@sum.n > 0", compare(.keyPath(["t", "@sum", "n"]), .greaterThan, .constant(0))),
        Sample(
            "SUBQUERY(t, $x, $x.a = 1).@count == 0",
            compare(
                .keyPathOf(
                    .subquery(
                        collection: .keyPath(["t"]), variable: "x",
                        predicate: compare(.keyPathOf(.variable("x"), ["a"]), .equal, .constant(1))),
                    ["@count"]),
                .equal, .constant(0))),
        Sample(
            "TERNARY(a = 1, 2, 3) = 2",
            compare(
                .conditional(a, then: .constant(2), otherwise: .constant(3)), .equal, .constant(2))),
        Sample("SELF = $x", compare(.evaluatedObject, .equal, .variable("x"))),
        Sample("SELF.a = NIL", compare(.keyPath(["a"]), .equal, .constant(.null))),
        Sample("#in.#like = null", compare(.keyPath(["in", "like"]), .equal, .constant(.null))),
        Sample("first = YES", compare(.keyPath(["first"]), .equal, .constant(true))),
        Sample("a = 0x1F", compare(.keyPath(["a"]), .equal, .constant(31))),
        Sample("a = 0b101", compare(.keyPath(["a"]), .equal, .constant(5))),
        Sample("a = -1.5e3", compare(.keyPath(["a"]), .equal, .constant(-1500.0))),
        Sample(
            "a = -9223372036854775808", compare(.keyPath(["a"]), .equal, .constant(.integer(.min)))),
        Sample(
            "a = 9223372036854775808",
            compare(
                .keyPath(["a"]), .equal,
                .constant(.decimal(Decimal(string: "9223372036854775808")!)))),
        Sample(
            "a = 1 + 2 * 3",
            compare(
                .keyPath(["a"]), .equal,
                .function(
                    "add:to:",
                    [.constant(1), .function("multiply:by:", [.constant(2), .constant(3)])]))),
        Sample(
            "a = 1 - 2 - 3",
            compare(
                .keyPath(["a"]), .equal,
                .function(
                    "from:subtract:",
                    [.function("from:subtract:", [.constant(1), .constant(2)]), .constant(3)]))),
        Sample(
            "(a + 1) * 2 = 4",
            compare(
                .function(
                    "multiply:by:",
                    [.function("add:to:", [.keyPath(["a"]), .constant(1)]), .constant(2)]), .equal,
                .constant(4))),
        Sample(
            "lowercase(a) = 'x'",
            compare(.function("lowercase:", [.keyPath(["a"])]), .equal, .constant("x"))),
        Sample(
            "canonical:(a) = 'x'",
            compare(.function("canonical:", [.keyPath(["a"])]), .equal, .constant("x"))),
        Sample("a < now()", compare(.keyPath(["a"]), .lessThan, .function("now", []))),
        Sample(
            "FUNCTION(a, \"add:to:\", 1) = 2",
            compare(.function("add:to:", [.keyPath(["a"]), .constant(1)]), .equal, .constant(2))),
        Sample(
            "a > CAST(0, 'NSDate')",
            compare(
                .keyPath(["a"]), .greaterThan,
                .constant(.date(Date(timeIntervalSinceReferenceDate: 0))))),
        Sample(
            "a = 'it\\'s \\u00e9 \"q\"'",
            compare(.keyPath(["a"]), .equal, .constant("it's é \"q\""))),
        Sample("naïve_2 = 1", compare(.keyPath(["naïve_2"]), .equal, .constant(1))),
    ]

    @Test(arguments: samples)
    func `reads`(_ sample: Sample) throws {
        let predicate = try FetchPredicate(format: sample.text)

        #expect(predicate == sample.expected)
    }

    @Test func `uses arguments for placeholders in order`() throws {
        let id = UUID()
        let predicate = try FetchPredicate(
            format: "%K = %@ AND b IN %@ AND c = %ld AND d < %f AND e = %s AND f = %@",
            "x.y", id, ["p", "q"], 7, 1.5, "text", Int?.none)

        #expect(
            predicate
                == .and([
                    Self.compare(.keyPath(["x", "y"]), .equal, .constant(.uuid(id))),
                    Self.compare(
                        .keyPath(["b"]), .in, .list([.constant("p"), .constant("q")])),
                    Self.compare(.keyPath(["c"]), .equal, .constant(7)),
                    Self.compare(.keyPath(["d"]), .lessThan, .constant(1.5)),
                    Self.compare(.keyPath(["e"]), .equal, .constant("text")),
                    Self.compare(.keyPath(["f"]), .equal, .constant(.null)),
                ]))
    }

    @Test func `treats a placeholder in quotes as text`() throws {
        let predicate = try FetchPredicate(format: "a = '%@'")

        #expect(predicate == Self.compare(.keyPath(["a"]), .equal, .constant("%@")))
    }

    struct Failure: CustomTestStringConvertible, Sendable {
        let text: String
        let position: Int
        let found: String
        let expected: String
        var testDescription: String { text }
    }

    static let failures: [Failure] = [
        Failure(text: "", position: 0, found: "the end", expected: "a value or a key path"),
        Failure(text: "a", position: 1, found: "the end", expected: "a comparison operator"),
        Failure(text: "a =", position: 3, found: "the end", expected: "a value or a key path"),
        Failure(text: "a = 1 b", position: 6, found: "“b”", expected: "AND, OR or the end"),
        Failure(
            text: "a = 1 = 2", position: 0, found: "a condition", expected: "a value or a key path"),
        Failure(text: "(a = 1", position: 6, found: "the end", expected: "“)”"),
        Failure(
            text: "👩‍👩‍👧 = 1", position: 0, found: "“👩”", expected: "a name, a value or an operator"),
        Failure(text: "é = 'x", position: 6, found: "the end", expected: "a closing '"),
        Failure(
            text: "a AND b = 1", position: 2, found: "“AND”", expected: "a comparison operator"),
        Failure(
            text: "a = 1e999", position: 4, found: "“1e999”", expected: "a number within range"),
        Failure(text: "a = 12x", position: 6, found: "“x”", expected: "the end of the number"),
        Failure(text: "a = 0xZZ", position: 4, found: "“0xZZ”", expected: "a 64-bit integer"),
        Failure(
            text: "a LIKE[q] 'x'", position: 7, found: "“q”", expected: "options: c, d, cd or n"),
        Failure(
            text: "SUBQUERY(t, x, a = 1).@count > 0", position: 12, found: "“x”",
            expected: "a variable: $name"),
        Failure(
            text: "a = 1 AND SUBQERY(t, $x, $x.b > 1).@count > 0", position: 10, found: "“SUBQERY”",
            expected: "“SUBQUERY”"),
        Failure(
            text: "Sub_query(t, $x, $x)", position: 0, found: "“Sub_query”", expected: "“SUBQUERY”"),
        Failure(
            text: "TERNERY(a = 1, 2, 3) = 2", position: 0, found: "“TERNERY”", expected: "“TERNARY”"
        ),
        Failure(text: "a IN {1, }", position: 9, found: "“}”", expected: "a value or a key path"),
        Failure(
            text: "a = %q", position: 6, found: "the end",
            expected: "a placeholder: %@, %K, %d, %f or %s"),
        Failure(text: "a.5 = 1", position: 1, found: "a number", expected: "a comparison operator"),
    ]

    @Test(arguments: failures)
    func `reports the position of the error, and what was expected`(_ failure: Failure) {
        #expect(
            throws: FetchPredicateError.syntax(
                text: failure.text, position: failure.position, found: failure.found,
                expected: failure.expected)
        ) { try FetchPredicate(format: failure.text) }
    }

    @Test func `marks the position in its description`() throws {
        let error = #expect(throws: FetchPredicateError.self) {
            try FetchPredicate(format: "name = 'x' AND AND b = 2")
        }

        let lines = try #require(error).description.split(separator: "\n")
        #expect(lines.last == "                   ^")
        #expect(lines.first?.contains("character 15") == true)
    }

    @Test func `counts the arguments`() {
        #expect(
            throws: FetchPredicateError.wrongArgumentCount(
                text: "a = %@ AND b = %@", placeholders: 2, arguments: 1)
        ) { try FetchPredicate(format: "a = %@ AND b = %@", 1) }
        #expect(
            throws: FetchPredicateError.wrongArgumentCount(
                text: "a = 1", placeholders: 0, arguments: 1)
        ) { try FetchPredicate(format: "a = 1", 1) }
    }

    @Test func `refuses an argument of the wrong kind`() {
        #expect(
            throws: FetchPredicateError.wrongArgument(
                index: 1, placeholder: "%d", expected: "an integer")
        ) { try FetchPredicate(format: "%K = %d", "a", "b") }
    }

    @Test(arguments: ["", "a..b", ".a", "a.@"])
    func `refuses a key path argument with an empty name`(_ path: String) {
        #expect(
            throws: FetchPredicateError.wrongArgument(
                index: 0, placeholder: "%K", expected: "a key path: names joined with dots")
        ) { try FetchPredicate(format: "%K = 1", path) }
    }

    @Test(arguments: ["a = 1 OR b", "first name", "größe-1", "\"; DROP TABLE", "#x", "SELF", "a:b"])
    func `treats a key path argument as names, whatever they contain`(_ name: String) throws {
        let predicate = try FetchPredicate(format: "%K.%K = 1", name, name)

        #expect(
            predicate
                == .comparison(
                    PredicateComparison(.keyPath([name, name]), .equal, .constant(.integer(1)))))
        #expect(try FetchPredicate(format: predicate.description) == predicate)
    }

    @Test(arguments: ["(", "NOT ", "-", "lowercase(", "{", "SUBQUERY(a, $x, ", "1 + ", "2 ** "])
    func `refuses hostile nesting`(_ opening: String) {
        let text = String(repeating: opening, count: 5_000) + "1 = 1"

        #expect(throws: FetchPredicateError.tooDeep(limit: FetchPredicate.depthLimit)) {
            try FetchPredicate(format: text)
        }
    }

    @Test func `keeps a long chain flat`() throws {
        let text = Array(repeating: "a = 1", count: 20_000).joined(separator: " OR ")

        let predicate = try FetchPredicate(format: text)

        #expect(predicate == .or(Array(repeating: Self.a, count: 20_000)))
    }

    @Test(arguments: [
        "a = CAST('x', 'NSUUID')", "a = CAST('x', 'NSNumber')", "a = CAST('1x', 'NSDecimalNumber')",
        "a = CAST('1', 'NSDate')", "a = CAST('!', 'NSData')", "a = CAST(1, 'NSURL')",
        "a = CAST('1/2/3', 'NSManagedObjectID')",
    ])
    func `refuses a cast that is not possible`(_ text: String) {
        let error = #expect(throws: FetchPredicateError.self) { try FetchPredicate(format: text) }

        if case .typeMismatch? = error { return }
        Issue.record("not a type mismatch: \(String(describing: error))")
    }

    @Test func `substitutes variables, but not a subquery's own`() throws {
        let predicate = try FetchPredicate(
            format: "a = $x AND SUBQUERY(t, $x, $x.b = $y).@count > 0")

        let filled = predicate.substituting(variables: ["x": 1, "y": "z"])

        let expected = try FetchPredicate(
            format: "a = 1 AND SUBQUERY(t, $x, $x.b = 'z').@count > 0")
        #expect(filled == expected)
    }
}
