import Foundation

/// Encodes decimals as 18 bytes in canonical form: equal numbers have equal bytes, regardless of
/// trailing zeros.
enum DecimalCodec {
    private static let minus: UInt8 = 1
    private static let notANumber: UInt8 = 2

    static func encode(_ value: Decimal, to bytes: UnsafeMutableRawPointer) {
        var (significand, exponent) = (UInt128(0), 0)
        var sign: UInt8 = value.sign == .minus ? minus : 0
        if value.isNaN {
            sign = notANumber
        } else if let digits = magnitude(value) {
            (significand, exponent) = (digits, value.exponent)
        }
        while significand > 0, significand % 10 == 0, exponent < 127 {
            significand /= 10
            exponent += 1
        }
        if significand == 0 {
            exponent = 0
            sign &= notANumber
        }
        bytes.storeBytes(of: UInt64(truncatingIfNeeded: significand).littleEndian, as: UInt64.self)
        bytes.storeBytes(
            of: UInt64(truncatingIfNeeded: significand >> 64).littleEndian, toByteOffset: 8,
            as: UInt64.self)
        bytes.storeBytes(of: Int8(truncatingIfNeeded: exponent), toByteOffset: 16, as: Int8.self)
        bytes.storeBytes(of: sign, toByteOffset: 17, as: UInt8.self)
    }

    static func decode(_ bytes: UnsafeRawPointer) -> Decimal {
        let low = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let exponent = bytes.load(fromByteOffset: 16, as: Int8.self)
        let sign = bytes.load(fromByteOffset: 17, as: UInt8.self)
        if sign == notANumber { return .nan }
        let significand =
            high == 0
            ? Decimal(low)
            : Decimal(string: (UInt128(high) << 64 | UInt128(low)).description) ?? .nan
        return Decimal(
            sign: sign == minus ? .minus : .plus, exponent: Int(exponent),
            significand: significand)
    }

    /// Returns the digits as an integer. Foundation provides them only as text.
    private static func magnitude(_ value: Decimal) -> UInt128? {
        UInt128(value.significand.magnitude.description)
    }
}
