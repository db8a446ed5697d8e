import Foundation

/// A decimal as Core Data's schema stores it: an INTEGER if it is whole, otherwise a REAL.
///
/// A REAL stands for the shortest decimal that reads back as the same double. Therefore all
/// decimals of up to 15 digits and all whole decimals within 64 bits are read back unchanged.
enum StoredDecimal: Hashable {
    case integer(Int64)
    case real(Double)

    /// Returns `nil` if the decimal would not be read back unchanged.
    init?(_ decimal: Decimal) {
        guard decimal.isFinite, !decimal.isNaN else { return nil }
        let text = decimal.description
        if let integer = Int64(text) {
            self = .integer(integer)
            return
        }
        // The column's NUMERIC affinity turns a whole REAL within 64 bits into an INTEGER. It would
        // be
        // read back with all digits of the double, not as the shortest decimal.
        guard let real = Double(text), real.isFinite, Int64(exactly: real) == nil,
            Self.decimal(real) == decimal
        else { return nil }
        self = .real(real)
    }

    /// Returns the decimal that a REAL stands for, or `nil` if it is outside the range of
    /// `Decimal`.
    static func decimal(_ real: Double) -> Decimal? {
        guard real.isFinite, let decimal = Decimal(string: real.description), !decimal.isNaN,
            Double(decimal.description) == real
        else { return nil }
        return decimal
    }
}
