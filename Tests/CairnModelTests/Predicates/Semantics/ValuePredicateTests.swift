import Foundation
import Testing

@testable import CairnModel

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
    func `tests a single value`(
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
    func `refuses operands that do not fit the type`(_ text: String, _ type: AttributeType) throws {
        let predicate = try FetchPredicate(format: text)

        #expect(throws: FetchPredicateError.self) {
            _ = try ValuePredicate(predicate, for: type)
        }
    }
}
