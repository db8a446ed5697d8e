import Foundation

/// A decimal as Core Data's schema keeps it: an INTEGER where it is whole, a REAL elsewhere.
///
/// A REAL means the shortest decimal that reads back as the same double. So every decimal of up to
/// 15 digits comes back equal, and so does every whole one within 64 bits.
enum StoredDecimal: Hashable {
    case integer(Int64)
    case real(Double)

    /// How the decimal is kept. `nil` if it would not come back equal.
    init?(_ decimal: Decimal) {
        guard decimal.isFinite, !decimal.isNaN else { return nil }
        let text = decimal.description
        if let integer = Int64(text) {
            self = .integer(integer)
            return
        }
        // The column's NUMERIC affinity keeps a whole REAL within 64 bits as an INTEGER, whose
        // digits are all of it, not the shortest.
        guard let real = Double(text), real.isFinite, Int64(exactly: real) == nil,
            Self.decimal(real) == decimal
        else { return nil }
        self = .real(real)
    }

    /// The decimal that a REAL means. `nil` if a decimal cannot be as large or as small.
    static func decimal(_ real: Double) -> Decimal? {
        guard real.isFinite, let decimal = Decimal(string: real.description), !decimal.isNaN,
            Double(decimal.description) == real
        else { return nil }
        return decimal
    }
}
