import Foundation

/// The fields of an archived `NSDecimalNumber`: a mantissa of up to eight 16-bit words.
package enum ArchivedDecimal {
    /// The class name that Foundation writes for decimals in archives.
    package static let className = "NSDecimalNumberPlaceholder"

    /// Returns the number, or `nil` if the exponent is outside the range of `Decimal`.
    ///
    /// - Parameters:
    ///   - mantissa: The bytes of the words, the least significant word first.
    ///   - exponent: The power of ten by which the mantissa is multiplied.
    ///   - wordCount: The number of words that are used. More than 8 count as 8.
    ///   - isBigEndian: Whether the bytes of each word are big-endian. They are if `NS.mantissa.bo`, the
    ///     `NSHostByteOrder()` of the writer, is 2.
    ///   - isNegative: Whether the number is negative. A negative number without words is NaN.
    package static func decimal(
        mantissa: [UInt8], exponent: Int64, wordCount: Int, isBigEndian: Bool, isNegative: Bool
    ) -> Decimal? {
        guard (-128...127).contains(exponent) else { return nil }
        let wordCount = min(max(wordCount, 0), 8)
        // As in `NSDecimal`, a negative number without words is NaN.
        if wordCount == 0 { return isNegative ? Decimal.nan : 0 }
        var significand: UInt128 = 0
        for word in (0..<wordCount).reversed() where 2 * word + 1 < mantissa.count {
            let (first, second) = (UInt128(mantissa[2 * word]), UInt128(mantissa[2 * word + 1]))
            significand =
                significand << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
        }
        return Decimal(string: "\(isNegative ? "-" : "")\(significand)e\(exponent)")
    }

    /// Returns the fields of a number in the form that Foundation writes.
    package static func fields(
        of decimal: Decimal
    ) -> [(String, BinaryPropertyList.Node)] {
        // As in `NSDecimal`, a negative number without words is NaN.
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
