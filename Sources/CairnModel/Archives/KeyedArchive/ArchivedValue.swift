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

    /// A truth value, or whether a number is not 0; nil for anything else.
    package var boolean: Bool? {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value != 0
        case .real(let value): value != 0
        default: nil
        }
    }

    /// A whole number; a real number without its fraction; nil for anything else.
    package var integer: Int64? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded(.towardZero))
        default: nil
        }
    }

    /// A number; nil for anything else.
    package var real: Double? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}
