/// Parses numbers from bytes, with the same results as Swift's initialisers that take strings.
enum Digits {
    /// Returns the integer, or `nil` if the digits do not represent a decimal number of 64 bits.
    static func int64(_ digits: UnsafeBufferPointer<UInt8>) -> Int64? {
        var index = 0
        var isNegative = false
        if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            index = 1
        }
        guard index < digits.count else { return nil }
        var number: Int64 = 0
        while index < digits.count {
            let digit = Int64(digits[index]) - 0x30
            guard (0...9).contains(digit) else { return nil }
            // Computed as a negative number, because the range includes one more negative than positive
            // number.
            let (tenfold, first) = number.multipliedReportingOverflow(by: 10)
            let (next, second) = tenfold.subtractingReportingOverflow(digit)
            if first || second { return nil }
            number = next
            index += 1
        }
        if isNegative { return number }
        return number == .min ? nil : -number
    }

    /// Returns the double, or `nil` if the text does not represent a number.
    static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        simpleDouble(text) ?? Double(String(decoding: text, as: UTF8.self))
    }

    /// The powers of ten that a double represents exactly.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// Returns the value of a decimal if a double represents both its digits and its power of ten exactly.
    /// The quotient of the two is then the nearest double (Clinger, How to Read Floating Point Numbers
    /// Accurately, 1990). Returns `nil` for all other text.
    private static func simpleDouble(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        var end = text.count
        guard let point = text.firstIndex(of: UInt8(ascii: ".")), point > 0, point < end - 1 else {
            return nil
        }
        while end > point + 2, text[end - 1] == UInt8(ascii: "0") { end -= 1 }
        let isNegative = text[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        guard start < point, end - start <= 17, end - point - 1 < powers.count else { return nil }
        var digits: UInt64 = 0
        for index in start..<end where index != point {
            let digit = UInt64(text[index]) &- 0x30
            guard digit <= 9 else { return nil }
            digits = digits * 10 + digit
        }
        guard digits <= 1 << 53 else { return nil }
        let value = Double(digits) / powers[end - point - 1]
        return isNegative ? -value : value
    }
}
