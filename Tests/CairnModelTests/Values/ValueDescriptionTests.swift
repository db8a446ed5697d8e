import CairnModel
import Foundation
import Testing

@Suite struct `The description of a value` {
    static let values: [(Value, String, String)] = [
        (.null, "nil", ".null"),
        (true, "true", ".boolean(true)"),
        (-7, "-7", ".integer(-7)"),
        (1.5, "1.5", ".double(1.5)"),
        (.float(0.25), "0.25", ".float(0.25)"),
        (.decimal(Decimal(12) / 10), "1.2", ".decimal(1.2)"),
        ("Blue \"in\" Green", "Blue \"in\" Green", ".string(\"Blue \\\"in\\\" Green\")"),
        (.binary(Data([1, 2, 3])), "3 bytes", ".binary(3 bytes)"),
        (.transformable(Data()), "0 bytes", ".transformable(0 bytes)"),
        (
            .date(Date(timeIntervalSinceReferenceDate: 0)), "2001-01-01 00:00:00 +0000",
            ".date(2001-01-01 00:00:00 +0000)"
        ),
        (.uri(URL(fileURLWithPath: "/a")), "file:///a", ".uri(file:///a)"),
        (
            .composite(["b": 2, "a": "x"]), "{a = x; b = 2}",
            ".composite([a: .string(\"x\"), b: .integer(2)])"
        ),
    ]

    @Test(arguments: values.indices)
    func `is its text, and includes the case for debuggers`(_ index: Int) {
        let (value, text, debugText) = Self.values[index]

        #expect(value.description == text)
        #expect(value.debugDescription == debugText)
    }
}
