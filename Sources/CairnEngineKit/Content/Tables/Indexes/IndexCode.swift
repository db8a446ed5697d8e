import CairnModel
import CairnRows
import Foundation

/// Numbers for attribute values, which never contradict the order of the values.
///
/// Different values may have the same code, for example the smallest integer and NaN have that of `nil`.
/// Therefore an index of codes finds candidates, and the predicate decides. The code of a text or a UUID
/// contains its first eight bytes (``ValueKey``).
enum IndexCode {
    /// Returns whether values in slots of this kind have codes.
    static func exists(for kind: RowLayout.Kind) -> Bool {
        switch kind {
        case .boolean, .int16, .int32, .int64, .float, .double, .date, .string, .uuid, .uri: true
        case .decimal, .toOne, .binary, .externalBinary, .transformable, .composite: false
        }
    }

    /// Returns the code of a row's value, or `nil` if the value is `nil`, a text or a UUID.
    static func code(of slot: RowLayout.Slot, in row: Row) -> Int64? {
        if row.isNull(slot) { return nil }
        return switch slot.kind {
        case .boolean: row.boolean(slot) ? 1 : 0
        case .int16, .int32, .int64: row.integer(slot)
        case .float: code(of: Double(row.float(slot)))
        case .double, .date: code(of: row.double(slot))
        default: nil
        }
    }

    /// Returns the code of a constant that is compared with an attribute's values, or `nil` if it
    /// has no code, or is a text or a UUID.
    static func code(of value: Value, among type: AttributeType) -> Int64? {
        switch (value, type) {
        case (.boolean(let flag), .boolean): flag ? 1 : 0
        case (.integer(let number), .integer16), (.integer(let number), .integer32),
            (.integer(let number), .integer64):
            number
        case (.float(let number), .float): code(of: Double(number))
        case (.double(let number), .double): code(of: number)
        case (.date(let date), .date): code(of: date.timeIntervalSinceReferenceDate)
        default: nil
        }
    }

    /// Returns the range of codes of all strings that begin with the given string.
    static func codes(beginningWith text: String) -> ClosedRange<Int64> {
        code(of: text, filler: 0)...code(of: text, filler: 0xff)
    }

    /// NaN is less than all numbers, and −0 is equal to 0.
    private static func code(of number: Double) -> Int64 {
        if number.isNaN { return .min }
        let bits = Int64(bitPattern: (number == 0 ? 0 : number).bitPattern)
        return bits >= 0 ? bits : bits ^ .max
    }

    private static func code(of text: String, filler: UInt8) -> Int64 {
        var text = text
        return text.withUTF8 { code(of: UnsafeRawBufferPointer($0), filler: filler) }
    }

    /// Returns the first eight bytes as a number. UTF-8 has the same order as Unicode scalars.
    static func code(of bytes: UnsafeRawBufferPointer, filler: UInt8) -> Int64 {
        var code: UInt64 = 0
        for index in 0..<8 {
            code = code << 8 | UInt64(index < bytes.count ? bytes[index] : filler)
        }
        return Int64(bitPattern: code ^ 1 << 63)
    }
}
