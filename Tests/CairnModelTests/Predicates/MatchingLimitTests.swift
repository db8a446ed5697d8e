import Foundation
import Testing

@testable import CairnModel

/// Matching a pattern ends after a limited number of steps, regardless of the pattern and the text.
@Suite struct `Limit of matching` {
    static let letters = String(repeating: "a", count: 40)

    @Test(arguments: [
        "(.|.)*(.|.)*Q", "(a+)+b", "(a|aa)+b", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)Q", "(?=(a+)+b)a",
    ])
    func `ends a hostile expression with an error`(_ pattern: String) throws {
        let expression = try TextExpression(pattern)

        #expect(throws: FetchPredicateError.matchingLimit(pattern: pattern, stepLimit: 2_004_000)) {
            try expression.matches(Self.letters)
        }
    }

    @Test func `bounds the steps of a hostile expression`() throws {
        let expression = try TextExpression("(.|.)*(.|.)*Q")

        let steps = StepCounter.steps { _ = try? expression.matches(Self.letters) }

        #expect(steps > 2_004_000)
        #expect(steps <= 2_004_000 + 10_000)
    }

    /// ICU keeps alternatives in memory. It gives up when they take more than 8 MB.
    @Test func `reports an expression that takes too much memory as an error, not a mismatch`()
        throws
    {
        let text = String(repeating: "ab", count: 200_000)

        #expect(throws: FetchPredicateError.matchingLimit(pattern: "(a|b)*", stepLimit: 42_000_000))
        {
            try TextExpression("(a|b)*").matches(text)
        }
    }

    @Test(arguments: [
        ("(a|b)*", 2_000, true), (".*a.*b.*", 100_000, true), (".*foo.*", 100_000, false),
        ("[ab]+", 100_000, true), ("\\w+@\\w+\\.com", 100_000, false),
    ])
    func `allows an ordinary expression to match a long text`(
        _ pattern: String, _ byteCount: Int, _ expected: Bool
    ) throws {
        let text = String(repeating: "ab", count: byteCount / 2)

        #expect(try TextExpression(pattern).matches(text) == expected)
    }

    @Test func `ends a pattern of LIKE with an error, too`() throws {
        let text = String(repeating: "a", count: 20_000)
        let source = "*" + String(repeating: "a", count: 10_000) + "b"

        #expect(throws: FetchPredicateError.matchingLimit(pattern: source, stepLimit: 4_000_000)) {
            try LikePattern(source).matches(text)
        }
        #expect(try !LikePattern(String(repeating: "*a", count: 100) + "*b").matches(text))
    }

    @Test func `lets CONTAINS examine each byte only a few times`() throws {
        func steps(_ count: Int) throws -> Int {
            let text = String(repeating: "a", count: count) + "c"
            let part = String(repeating: "a", count: count / 2) + "b"
            let test = try ValueTest(.contains, right: .string(part))
            return try StepCounter.steps {
                let isFound = try test.holds(.string(text))
                #expect(!isFound)
            }
        }

        let (few, many) = (try steps(1_000), try steps(100_000))

        #expect(few > 1_000, "the text was not counted")
        #expect(many <= few * 110, "\(few) steps, then \(many)")
    }

    @Test(arguments: ["aab", "abab", "abcabd", "aaaa", "aabaaab", "bbbbbbbbbbbbbbbbbbbbbc"])
    func `lets CONTAINS find a text between its own prefixes`(_ part: String) throws {
        let noise = String(repeating: String(part.dropLast()), count: 50)
        let test = try ValueTest(.contains, right: .string(part))
        let tail = String(repeating: "b", count: 30)

        for text in [
            noise + part, noise + tail + part + noise, noise + noise, part, "", noise + tail,
        ] {
            #expect(try test.holds(.string(text)) == text.contains(part), "\(text)")
        }
    }

    /// A validation rule that cannot be checked throws; it is not ignored.
    @Test func `ends a condition on a value with an error, too`() throws {
        let condition = try ValuePredicate(
            FetchPredicate(format: "NOT (SELF MATCHES '(a|a)*b' OR SELF = 'x')"), for: .string)

        #expect(throws: FetchPredicateError.self) {
            try condition.holds(for: .string(Self.letters))
        }
        #expect(try !condition.holds(for: "b"))
        #expect(try condition.holds(for: "c"))
    }
}
