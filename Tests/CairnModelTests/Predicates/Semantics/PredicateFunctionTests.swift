import CairnModel
import Foundation
import Testing

@Suite struct `Predicate functions` {
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
    func `return the expected values`(
        _ function: PredicateFunction, _ arguments: [Value], _ expected: Value
    ) {
        #expect(function.result(of: arguments, now: Date()) == expected)
    }
}
