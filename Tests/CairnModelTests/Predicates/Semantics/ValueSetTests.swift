import CairnTestSupport
import Foundation
import Testing

@testable import CairnModel

@Suite struct `Value sets` {
    static let values: [Value] = [
        .null, .boolean(false), .boolean(true), 0, 1, -1, .integer(.max), .integer(.min),
        .integer(1 << 53), .integer((1 << 53) + 1), .double(0), .double(-0.0), .double(.nan),
        .double(1),
        .double(0.1), .double(0x1p53), .double(0x1p63), .double(-0x1p63), .double(.infinity),
        .float(0.1),
        .float(.nan), .float(2), .date(Date(timeIntervalSinceReferenceDate: 0)),
        .date(Date(timeIntervalSinceReferenceDate: 0.1)), .decimal(0), .decimal(1), .decimal(.nan),
        .decimal(Decimal(string: "0.1") ?? 0),
        .decimal(Decimal(string: "0.10000000000000000001") ?? 0),
        .decimal(Decimal(sign: .plus, exponent: -2, significand: 100)),
        .decimal(Decimal(string: "9223372036854775807") ?? 0),
        .decimal(Decimal(string: "9223372036854775808") ?? 0), "", "a", "A", "\u{E9}", "e\u{301}",
        .uri(URL(fileURLWithPath: "/a")),
        .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        .binary(Data([1, 2])), .transformable(Data([1, 2])), .composite(["a": 1]),
        .composite(["a": .double(1)]),
        .objectID(
            ObjectID(
                store: StoreNumber(rawValue: 1), rootEntity: EntityNumber(1),
                entity: EntityNumber(2), key: 3)),
        .objectID(
            ObjectID(
                store: StoreNumber(rawValue: 1), rootEntity: EntityNumber(1),
                entity: EntityNumber(1), key: 3)),
    ]

    @Test func `find what a search by equality finds`() {
        var random = SeededRandom(seed: SeededRandom.seed(of: "value sets"))

        for _ in 0..<2_000 {
            let list = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Self.values.randomElement(using: &random) ?? .null
            }
            let set = ValueSet(list)
            for value in Self.values {
                let expected = list.contains { ValueOrder.areEqual(value, $0) }
                if set.contains(value) != expected {
                    Issue.record("\(value) among \(list): \(!expected), expected \(expected)")
                    return
                }
            }
        }
    }

    @Test func `match the same values for a long list as for a short one`() throws {
        let long = (0..<100).map { Value.string("name \($0)") } + ["\u{C9}t\u{E9}", .null]
        let test = ValueTest(.in, [.caseInsensitive, .diacriticInsensitive], list: long)

        #expect(try test.holds("ETE"))
        #expect(try test.holds("NAME 99"))
        #expect(try test.holds(.null))
        #expect(try !test.holds("name 100"))
    }
}
