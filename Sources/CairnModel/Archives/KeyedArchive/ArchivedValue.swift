/// A value of a keyed archive.
package enum ArchivedValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// A date in seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    case object(ArchivedObject)

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var object: ArchivedObject? { if case .object(let value) = self { value } else { nil } }

    /// The Boolean, or whether the number is not 0. `nil` for any other value.
    package var boolean: Bool? {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value != 0
        case .real(let value): value != 0
        default: nil
        }
    }

    /// The integer, a Boolean as 1 or 0, or a real number truncated towards zero. `nil` for any other value,
    /// and for a real number that does not fit.
    package var integer: Int64? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded(.towardZero))
        default: nil
        }
    }

    /// The number as a real number, or a Boolean as 1 or 0. `nil` for any other value.
    package var real: Double? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}
