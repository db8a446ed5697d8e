/// Numbers from their digits, as Swift's own initialisers read them from a text.
enum Digits {
    /// nil for what is no decimal number of 64 bits.
    static func int64(_ digits: UnsafeBufferPointer<UInt8>) -> Int64? {
        var place = 0
        var isNegative = false
        if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            place = 1
        }
        guard place < digits.count else { return nil }
        var number: Int64 = 0
        while place < digits.count {
            let digit = Int64(digits[place]) - 0x30
            guard (0...9).contains(digit) else { return nil }
            // Counted down, because there is one number more below zero than above.
            let (tenfold, first) = number.multipliedReportingOverflow(by: 10)
            let (next, second) = tenfold.subtractingReportingOverflow(digit)
            if first || second { return nil }
            number = next
            place += 1
        }
        if isNegative { return number }
        return number == .min ? nil : -number
    }

    /// nil for what is no number.
    static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        simpleDouble(text) ?? Double(String(decoding: text, as: UTF8.self))
    }

    /// Powers of ten that a double holds exactly.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// A decimal whose digits are a number that a double holds exactly, as the power of ten is by
    /// which it is divided: then the quotient is the nearest double (Clinger, How to Read Floating
    /// Point Numbers Accurately, 1990). nil for any other.
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
        for place in start..<end where place != point {
            let digit = UInt64(text[place]) &- 0x30
            guard digit <= 9 else { return nil }
            digits = digits * 10 + digit
        }
        guard digits <= 1 << 53 else { return nil }
        let value = Double(digits) / powers[end - point - 1]
        return isNegative ? -value : value
    }
}
