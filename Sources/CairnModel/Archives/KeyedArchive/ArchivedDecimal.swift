import Foundation

/// The fields of an archived `NSDecimalNumber`: a mantissa of up to eight 16-bit words.
package enum ArchivedDecimal {
    /// The class that Foundation names in archives of decimals.
    package static let className = "NSDecimalNumberPlaceholder"

    /// Returns the number. Returns `nil` if no decimal has the exponent.
    ///
    /// - Parameter isBigEndian: whether `NS.mantissa.bo`, which is `NSHostByteOrder()`, is 2. The bytes
    ///   of each word are in that order.
    package static func decimal(
        mantissa: [UInt8], exponent: Int64, wordCount: Int, isBigEndian: Bool, isNegative: Bool
    ) -> Decimal? {
        guard (-128...127).contains(exponent) else { return nil }
        let wordCount = min(max(wordCount, 0), 8)
        // NSDecimal: no words and negative is not a number.
        if wordCount == 0 { return isNegative ? Decimal.nan : 0 }
        var significand: UInt128 = 0
        for word in (0..<wordCount).reversed() where 2 * word + 1 < mantissa.count {
            let (first, second) = (UInt128(mantissa[2 * word]), UInt128(mantissa[2 * word + 1]))
            significand =
                significand << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
        }
        return Decimal(string: "\(isNegative ? "-" : "")\(significand)e\(exponent)")
    }

    /// Returns the fields of a number, as Foundation writes them.
    package static func fields(
        of decimal: Decimal
    ) -> [(String, BinaryPropertyList.Node)] {
        // NSDecimal: no words and negative is not a number.
        let significand = decimal.isNaN ? 0 : UInt128(decimal.significand.description) ?? 0
        var mantissa: [UInt8] = []
        for byte in 0..<16 { mantissa.append(UInt8(truncatingIfNeeded: significand >> (8 * byte))) }
        let wordCount = (16 - significand.leadingZeroBitCount / 8 + 1) / 2
        return [
            ("NS.mantissa", .data(mantissa)), ("NS.mantissa.bo", .integer(1)),
            ("NS.exponent", .integer(Int64(decimal.isNaN ? 0 : decimal.exponent))),
            ("NS.length", .integer(Int64(significand == 0 ? 0 : wordCount))),
            ("NS.negative", .boolean(decimal.isNaN || decimal < 0)),
            ("NS.compact", .boolean(false)),
        ]
    }
}
