import Foundation
import Testing

@testable import CairnModel

@Suite struct `Value test` {
    /// A smaller and a larger value of each type that has an order.
    static let pairs: [(Value, Value)] = [
        (1, 2), (.integer(.min), .integer(.max)), (1.5, 2.5), (.double(.nan), .double(-.infinity)),
        (.float(0.1), .float(0.2)), (.decimal(1), .decimal(2)), (false, true), ("a", "b"),
        ("Z", "a"), ("a", "aa"), ("z", "\u{E9}"), ("\u{FFFF}", "\u{10000}"),
        (
            .date(Date(timeIntervalSinceReferenceDate: 1)),
            .date(Date(timeIntervalSinceReferenceDate: 2))
        ),
        (
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))),
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)))
        ),
        (.uri(URL(string: "a:b")!), .uri(URL(string: "a:c")!)),
        // Across types.
        (1, 1.5), (0.5, 1), (.decimal(1), 2), (1, .decimal(2)), (.double(.nan), 0),
        (.integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993)),
        (.double(9_007_199_254_740_992), .integer(9_007_199_254_740_993)),
        (.integer(.max), .double(9_223_372_036_854_775_808)), (false, 1), (.decimal(.nan), 0),
        (.double(-.infinity), .integer(.min)), (0, .date(Date(timeIntervalSinceReferenceDate: 1))),
    ]

    @Test(arguments: pairs)
    func `puts a smaller value before a larger one`(_ small: Value, _ large: Value) throws {
        let expected: [(PredicateComparison.Operator, Bool, Bool, Bool)] = [
            (.lessThan, true, false, false), (.lessThanOrEqual, true, false, true),
            (.greaterThan, false, true, false), (.greaterThanOrEqual, false, true, true),
            (.equal, false, false, true), (.notEqual, true, true, false),
        ]

        for (word, upward, downward, same) in expected {
            #expect(try ValueTest(word, right: large).holds(small) == upward, "\(word)")
            #expect(try ValueTest(word, right: small).holds(large) == downward, "\(word)")
            #expect(try ValueTest(word, right: small).holds(small) == same, "\(word)")
        }
    }

    @Test(
        arguments: [
            (0.0, -0.0), (1, 1.0), (true, 1), (.double(.nan), .float(.nan)),
            (.decimal(Decimal(string: "1.50")!), .decimal(Decimal(string: "1.5")!)),
            (.decimal(Decimal(string: "0.1")!), 0.1),
            (60, .date(Date(timeIntervalSinceReferenceDate: 60))),
            (.binary(Data([1])), .binary(Data([1]))), (.null, .null), ("", ""),
        ] as [(Value, Value)])
    func `takes values for equal that mean the same`(_ left: Value, _ right: Value) throws {
        #expect(try ValueTest(.equal, right: right).holds(left))
        #expect(try ValueTest(.equal, right: left).holds(right))
        #expect(try !ValueTest(.notEqual, right: right).holds(left))
        #expect(try ValueTest(.in, list: [right]).holds(left))
    }

    @Test(
        arguments: [
            1, 1.5, true, "a", .decimal(1), .float(1), .date(Date()), .binary(Data()),
            .uuid(UUID()),
            .uri(URL(string: "a:b")!), .transformable(Data()),
        ] as [Value])
    func `is two-valued with nil on either side`(_ value: Value) throws {
        for word in PredicateComparison.Operator.allCases where word != .in && word != .between {
            let expected = word == .notEqual
            #expect(try ValueTest(word, right: .null).holds(value) == expected, "\(word)")
            if word != .matches || value.type == .string {
                #expect(try ValueTest(word, right: value).holds(.null) == expected, "\(word)")
            }
            #expect(try ValueTest(word, right: .null).holds(.null) == (word == .equal), "\(word)")
        }
        #expect(try !ValueTest(.in, list: [.null]).holds(value))
        #expect(try ValueTest(.in, list: [value, .null]).holds(.null))
        #expect(try !ValueTest(.in, list: []).holds(.null))
        #expect(try !ValueTest(.between, list: [.null, value]).holds(value))
        #expect(try !ValueTest(.between, list: [value, value]).holds(.null))
    }

    @Test(
        arguments: [
            ("Stra\u{DF}e", "STRASSE", [.caseInsensitive], true),
            (
                "\u{3A3}\u{3AF}\u{3C3}\u{3C5}\u{3C6}\u{3BF}\u{3C2}",
                "\u{3C3}\u{3AF}\u{3C3}\u{3C5}\u{3C6}\u{3BF}\u{3C3}", [.caseInsensitive], true
            ),
            ("\u{1E9E}", "ss", [.caseInsensitive], true),
            ("\u{130}", "i\u{307}", [.caseInsensitive], true),
            ("\u{131}", "I", [.caseInsensitive], false),
            ("\u{13A0}", "\u{AB70}", [.caseInsensitive], true),
            ("\u{212A}", "k", [.caseInsensitive], true),
            ("\u{E9}", "e\u{301}", [.caseInsensitive], false),
            ("\u{E9}", "e", [.diacriticInsensitive], true),
            ("\u{C9}", "e", [.diacriticInsensitive], false),
            ("\u{C9}", "e", [.caseInsensitive, .diacriticInsensitive], true),
            ("\u{1EA4}", "a", [.caseInsensitive, .diacriticInsensitive], true),
            ("\u{F8}", "o", [.diacriticInsensitive], false),
        ] as [(String, String, PredicateComparison.Options, Bool)])
    func `folds text`(
        _ left: String, _ right: String, _ options: PredicateComparison.Options, _ expected: Bool
    ) throws {
        let test = try ValueTest(.equal, options, right: .string(right))

        #expect(try test.holds(.string(left)) == expected)
    }

    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("?", "", false),
        ("?", "\u{1F600}", true),
        ("a*c", "abbbc", true), ("a*c", "abbbd", false), ("*a*b*", "xxaxxbxx", true),
        ("\\*", "*", true), ("\\*", "a", false), ("\\", "\\", true), ("a\\", "a\\", true),
        ("??", "e\u{301}", true), ("a**b", "ab", true), ("*.txt", "a.txt.txt", true),
        ("*?", "\u{E9}", true), ("*??", "\u{E9}", false), ("*?\u{E9}", "\u{E9}\u{E9}", true),
        ("*\u{E9}?", "\u{E8}\u{E9}\u{1F600}", true), ("?*", "", false),
    ])
    func `matches patterns`(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(try LikePattern(pattern).matches(text) == expected)
    }

    @Test(arguments: [
        ("a|ab", "ab", true), ("a", "ba", false), ("a", "ab", false), ("a?", "", true),
        ("^a$", "a", true), ("a$", "a\n", false), ("(?i)A", "a", true),
        ("\\p{L}+", "\u{E9}t\u{E9}", true),
        ("ab*", "a", true), ("ab{0,1}c", "ac", true), ("ab+c", "abbc", true), ("ab?", "a", true),
        ("ab|c", "c", true), ("ab(?i)C", "abc", true), ("ab(?i)C", "Abc", false),
        ("ab.*", "ab\u{E9}", true), ("e\u{301}", "\u{E9}", false), ("ab.*", "ac", false),
    ])
    func `matches regular expressions as a whole`(
        _ pattern: String, _ text: String, _ expected: Bool
    ) throws {
        let expression = try TextExpression(pattern)
        let ofBytes = try Array(text.utf8).withUnsafeBytes { try expression.matches(utf8: $0) }

        #expect(try expression.matches(text) == expected)
        #expect(ofBytes == expected)
    }

    @Test(
        arguments: [
            (.add, [.integer(.max), 1], .double(9_223_372_036_854_775_808)),
            (.subtract, [1, 0.5], 0.5), (.multiply, [3, .decimal(2)], .decimal(6)),
            (
                .multiply,
                [
                    .decimal(Decimal(sign: .plus, exponent: -100, significand: 1)),
                    .decimal(Decimal(sign: .plus, exponent: -29, significand: 1)),
                ], .double(1e-129)
            ),
            (.divide, [7, -2], -3), (.divide, [1, 0], .null), (.divide, [1.0, 0.0], .null),
            (.divide, [.integer(.min), -1], .double(9_223_372_036_854_775_808)),
            (.divide, [.decimal(1), .decimal(0)], .null), (.modulus, [-7, 3], -1),
            (.modulus, [.integer(.min), -1], 0), (.modulus, [7, 0], .null),
            (.modulus, [.decimal(7), 4], .decimal(3)), (.power, [2, 10], 1024.0),
            (.squareRoot, [-1], .null), (.naturalLogarithm, [0], .null), (.logarithm, [1000], 3.0),
            (.absolute, [.integer(.min)], .double(9_223_372_036_854_775_808)),
            (.ceiling, [-1.5], -1.0),
            (.truncate, [.decimal(Decimal(string: "-1.5")!)], .decimal(-1)),
            (.floor, [.decimal(Decimal(string: "-1.5")!)], .decimal(-2)),
            (.length, ["\u{1F600}"], 2),
            (.canonical, ["\u{C9}t\u{E9}"], "ete"), (.uppercase, ["stra\u{DF}e"], "STRASSE"),
            (.add, [.null, 1], .null), (.sum, [1, .null, 2], 3), (.count, [1, .null], 1),
            (.sum, [], 0), (.average, [], .null), (.average, [1, 2], 1.5),
            (.maximum, [.null], .null),
            (.sum, [.integer(.max), .integer(.max), .integer(.min), .integer(.min)], -2),
            (.sum, [.integer(.max), 1], .double(9_223_372_036_854_775_808)),
            (
                .sum, [.decimal(Decimal(string: "0.1")!), .decimal(Decimal(string: "0.2")!)],
                .decimal(Decimal(string: "0.3")!)
            ),
            (.minimum, [2, 1.5, .null], 1.5), (.lowercase, [1], .null), (.add, [1], .null),
        ] as [(PredicateFunction, [Value], Value)])
    func `calculates`(_ function: PredicateFunction, _ arguments: [Value], _ expected: Value) {
        #expect(function.result(of: arguments, now: Date()) == expected)
    }
}

@Suite struct `Value predicate` {
    @Test(
        arguments: [
            ("SELF >= 3", .integer32, 3, true), ("SELF >= 3", .integer32, 2, false),
            ("SELF >= 3", .double, 3.5, true), ("SELF <= 0.1", .float, .float(0.1), true),
            ("length >= 2", .string, "ab", true), ("length >= 2", .string, "a", false),
            ("length <= 1 AND length >= 1", .string, "\u{E9}", true),
            ("length > 1", .binary, .binary(Data([1, 2])), true),
            ("SELF MATCHES '[a-z]+'", .string, "abc", true),
            ("SELF MATCHES '[a-z]+'", .string, "Abc", false),
            ("SELF MATCHES[c] '[a-z]+'", .string, "Abc", true),
            ("SELF LIKE 'a*'", .string, "abc", true),
            (
                "timeIntervalSinceReferenceDate >= 1", .date,
                .date(Date(timeIntervalSinceReferenceDate: 1)), true
            ),
            (
                "SELF >= CAST(1, 'NSDate')", .date, .date(Date(timeIntervalSinceReferenceDate: 0)),
                false
            ),
            ("SELF IN {'a', 'b'}", .string, "b", true), ("NOT SELF IN {1, 2}", .integer16, 3, true),
            ("SELF BETWEEN {1, 5}", .decimal, .decimal(5), true),
            ("SELF = NULL", .string, .null, true),
            ("modulus:by:(SELF, 2) = 0", .integer64, 4, true),
            ("lowercase(SELF) = 'a'", .string, "A", true),
            ("10 > SELF", .integer64, 4, true), ("SELF = YES", .boolean, true, true),
            ("TRUEPREDICATE", .uuid, .null, true), ("length > 0", .string, .null, false),
        ] as [(String, AttributeType, Value, Bool)])
    func `tests one value`(
        _ text: String, _ type: AttributeType, _ value: Value, _ expected: Bool
    ) throws {
        let predicate = try ValuePredicate(FetchPredicate(format: text), for: type)

        #expect(try predicate.holds(for: value) == expected)
    }

    @Test(
        arguments: [
            ("SELF BEGINSWITH 'a'", .integer16), ("length > 1", .integer16),
            ("name = 'a'", .string),
            ("SELF = 'a'", .integer16), ("SELF MATCHES '('", .string), ("SELF = $x", .string),
            ("ANY SELF = 1", .integer16), ("SELF < 'a'", .binary), ("SELF IN 3", .integer16),
            ("FOO(SELF) = 1", .integer16), ("lowercase(SELF) = 'a'", .integer16),
        ] as [(String, AttributeType)])
    func `refuses what does not fit the type`(_ text: String, _ type: AttributeType) throws {
        let predicate = try FetchPredicate(format: text)

        #expect(throws: FetchPredicateError.self) {
            _ = try ValuePredicate(predicate, for: type)
        }
    }
}
