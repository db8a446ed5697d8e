import Foundation
import Testing

@testable import CairnModel

@Suite struct `Value test` {
    /// A smaller and a larger value of each ordered type, and of different types.
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
        // Values of different types.
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
    func `treats values that mean the same as equal`(_ left: Value, _ right: Value) throws {
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
}
