import Foundation
import Testing

@testable import CairnModel

@Suite struct `Dates as text` {
    @Test(arguments: [
        (0.0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"),
        (-0.25, "2000-12-31T23:59:59.75Z"), (785_824_949.125, "2025-11-26T04:42:29.125Z"),
        (-13_197_600_000, "1582-10-15T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
    ])
    func `are ISO 8601`(_ seconds: Double, _ expected: String) {
        let date = Date(timeIntervalSinceReferenceDate: seconds)

        #expect(ISO8601Date.text(date) == expected)
        #expect(ISO8601Date.date(expected) == date)
    }

    @Test(arguments: [
        -13_197_600_001, 252_423_993_600, .infinity, -.infinity, .nan, 1e300, -1e300, .ulpOfOne,
        -0.0,
        .leastNonzeroMagnitude,
    ])
    func `never have the text of another date`(_ seconds: Double) {
        // The testing library describes what it is given, and Foundation traps for some of these dates.
        let text = ISO8601Date.text(Date(timeIntervalSinceReferenceDate: seconds))

        #expect(text == nil)
    }

    @Test func `lose nothing`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let seconds = Double.random(in: -20_000_000_000..<252_423_993_600, using: &random)
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let text = ISO8601Date.text(date)

            #expect(text == nil || text.flatMap(ISO8601Date.date) == date, "\(seconds)")
        }
        let now = Date(timeIntervalSinceReferenceDate: 785_823_749.123_456)
        #expect(ISO8601Date.text(now).flatMap(ISO8601Date.date) == now)
    }

    @Test(arguments: [
        (0.000_000_4, "2001-01-01T00:00:00Z"), (0.123_456_7, "2001-01-01T00:00:00.123457Z"),
        (-0.000_000_4, "2001-01-01T00:00:00Z"), (0.999_999_9, "2001-01-01T00:00:01Z"),
        (785_823_749.999_999_6, "2025-11-26T04:22:30Z"),
    ])
    func `are rounded to millionths of a second on request`(_ seconds: Double, _ expected: String) {
        #expect(
            ISO8601Date.roundedText(Date(timeIntervalSinceReferenceDate: seconds)) == expected)
    }

    @Test(arguments: [
        -13_197_600_001, 252_423_993_600, .infinity, -.infinity, .nan, 1e300, -1e300,
    ])
    func `have no rounded text outside the calendar`(_ seconds: Double) {
        let text = ISO8601Date.roundedText(Date(timeIntervalSinceReferenceDate: seconds))

        #expect(text == nil)
    }

    @Test(arguments: [
        "", "now", ".", "2025-11-26", "2025-11-26T04:42:29.Z", "2025-11-26T04:42:29.1",
        "2025-13-26T04:42:29Z", "2025-11-26T04:42:29.1²Z",
    ])
    func `are not read from other texts`(_ text: String) {
        #expect(ISO8601Date.date(text) == nil)
    }

    @Test(arguments: [.nan, .infinity, -.infinity, 1e300, -1e300, -13_197_600_001, 1e20])
    func `outside the calendar are described by their seconds`(_ seconds: Double) {
        let value = Value.date(Date(timeIntervalSinceReferenceDate: seconds))
        let texts = [value.description, value.debugDescription]

        let expected = "\(seconds) seconds since 2001"
        #expect(texts == [expected, ".date(\(expected))"])
    }

    @Test func `inside the calendar are described as Foundation does`() {
        let value = Value.date(Date(timeIntervalSinceReferenceDate: 0.5))

        #expect(value.description == "2001-01-01 00:00:00 +0000")
    }
}
