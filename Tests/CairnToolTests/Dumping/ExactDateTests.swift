import CairnTestSupport
import Foundation
import Testing

@testable import CairnTool

/// Dates as text that keeps the stored number.
@Suite struct `Exact dates` {
    @Test(arguments: [
        (0, "2001-01-01T00:00:00Z"), (816_548_340, "2026-11-16T18:59:00Z"),
        (0.1, "2001-01-01T00:00:00.1Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
        (-1, "2000-12-31T23:59:59Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
        (-26_784_000, "2000-02-26T00:00:00Z"), (-26_438_400.5, "2000-02-29T23:59:59.5Z"),
        (731_947_175.405035, "2024-03-12T14:39:35.405035Z"),
        (-63_145_526_400, "0000-01-01T00:00:00Z"),
        (252_423_993_599.5, "9999-12-31T23:59:59.5Z"),
    ])
    func `are written as ISO 8601 with all digits of the fraction`(
        _ seconds: Double, _ wanted: String
    ) {
        let text = ExactDate.text(of: seconds)

        #expect(text == wanted)
    }

    @Test(arguments: [
        -0.0, .nan, .infinity, -.infinity, 1e-9, -1e-300, 252_423_993_600, -63_145_526_400.5, 1e300,
    ])
    func `have no text if ISO 8601 has none that keeps them`(_ seconds: Double) {
        let text = ExactDate.text(of: seconds)

        #expect(text == nil)
    }

    @Test func `keep every bit`() throws {
        var random = SeededRandom(seed: 8601)
        var numbers: [Double] = [0.0001, -0.0001, 1e-4.nextUp, -1e-4.nextUp, 1.nextDown]
        for exponent in -3...37 {
            for _ in 0..<200 {
                let size = scalbn(Double.random(in: 1..<2, using: &random), exponent)
                numbers.append(Bool.random(using: &random) ? size : -size)
            }
        }

        for number in numbers where (-6.3e10..<2.5e11).contains(number) {
            guard abs(number) >= 0.0001 else { continue }
            let text = try #require(ExactDate.text(of: number), "\(number)")
            #expect(try ISOReading.seconds(of: text) == number, "\(number): \(text)")
        }
    }
}
