/// A value of a keyed archive.
package enum ArchivedValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    case object(ArchivedObject)

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var object: ArchivedObject? { if case .object(let value) = self { value } else { nil } }

    /// The value as a Boolean, or whether a number is not 0. `nil` for any other value.
    package var boolean: Bool? {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value != 0
        case .real(let value): value != 0
        default: nil
        }
    }

    /// The value as an integer. A Boolean is 1 or 0, and a real number loses its fraction. `nil` for
    /// any other value, and for a real number that does not fit.
    package var integer: Int64? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded(.towardZero))
        default: nil
        }
    }

    /// The value as a real number. A Boolean is 1 or 0. `nil` for any other value.
    package var real: Double? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}
