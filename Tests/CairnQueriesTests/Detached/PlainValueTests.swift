import CairnModel
import Foundation
import Testing

@testable import CairnQueries

@Suite struct `Plain values` {
    private static let values: [(AttributeType, Value)] = [
        (.boolean, .boolean(true)), (.integer16, .integer(-32_768)),
        (.integer32, .integer(2_147_483_647)), (.integer64, .integer(.min)),
        (.integer64, .integer(9_007_199_254_740_993)), (.double, .double(0.1)),
        (.double, .double(-0.0)), (.double, .double(1)), (.double, .double(1e300)),
        (.double, .double(.infinity)), (.double, .double(-.infinity)), (.double, .double(.nan)),
        (.double, .double(.leastNonzeroMagnitude)), (.float, .float(0.1)),
        (.float, .float(.greatestFiniteMagnitude)), (.float, .float(.leastNonzeroMagnitude)),
        (.float, .float(-.infinity)), (.decimal, .decimal(Decimal(string: "-0.000123")!)),
        (.decimal, .decimal(Decimal(string: "12345678901234567890123456789012345678")!)),
        (.decimal, .decimal(Decimal.greatestFiniteMagnitude)), (.decimal, .decimal(.nan)),
        (.string, .string("e\u{301} \u{0} \"")), (.string, .string("")),
        (.date, .date(Date(timeIntervalSinceReferenceDate: 0.1))),
        (.date, .date(Date(timeIntervalSinceReferenceDate: 1e300))),
        (.date, .date(Date(timeIntervalSinceReferenceDate: .nan))),
        (.binary, .binary(Data([0, 1, 255]))), (.binary, .binary(Data())),
        (.transformable, .transformable(Data([9]))), (.uuid, .uuid(UUID())),
        (.uri, .uri(URL(string: "https://example.org/%20?a=b#c")!)), (.string, .null),
    ]

    @Test(arguments: values)
    func `lose nothing in JSON and in property lists`(_ type: AttributeType, _ value: Value) throws
    {
        let plain = PlainValue(value)

        let json = try JSONEncoder().encode([plain])
        let fromJSON = try JSONDecoder().decode([PlainValue].self, from: json)[0]
        #expect(fromJSON == plain)
        #expect(fromJSON.hashValue == plain.hashValue)
        // The testing library describes what it is given, and Foundation traps for some of these dates.
        let isSame = fromJSON.value(as: type, nil, in: nil) == value
        #expect(isSame)
        if value.isNull { return }
        let list = try PropertyListEncoder().encode([plain])
        let fromList = try PropertyListDecoder().decode([PlainValue].self, from: list)[0]
        let isSameAgain = fromList.value(as: type, nil, in: nil) == value
        #expect(isSameAgain)
    }

    @Test(
        arguments: [
            (.boolean, .integer(1)), (.integer16, .integer(32_768)), (.integer64, .number(0.5)),
            (.integer64, .text("1")), (.double, .text("1")), (.double, .boolean(true)),
            (.decimal, .text("1.5x")), (.decimal, .number(0.1)), (.string, .integer(1)),
            (.date, .text("2025")), (.binary, .text("*")), (.uuid, .text("x")), (.uri, .integer(1)),
            (.composite, .fields(["x": .null])), (.string, .list([])),
        ] as [(AttributeType, PlainValue)])
    func `of another type are refused`(_ type: AttributeType, _ value: PlainValue) {
        #expect(value.value(as: type, nil, in: nil) == nil)
    }
}
