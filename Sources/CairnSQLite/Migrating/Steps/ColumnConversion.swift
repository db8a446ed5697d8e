import CairnModel
import CairnSQL

/// How the values of a column are converted to another type.
///
/// Includes only lossless conversions (``CairnModel/AttributeType/convertsLosslessly(to:)``).
enum ColumnConversion {
    /// Both types have the same stored form.
    case none
    /// SQLite converts the number when it is written to a column of the other type.
    case number
    case integerToText
    case uuidToText
    case uriToText

    /// Returns `nil` if no SQL expression converts the values.
    init?(from old: AttributeType?, to new: AttributeType?) {
        guard let old, let new, old != new else {
            self = .none
            return
        }
        guard old.convertsLosslessly(to: new) else { return nil }
        switch (old, new) {
        case (.uuid, .string): self = .uuidToText
        case (.uri, .string): self = .uriToText
        case (_, .string): self = .integerToText
        default:
            let isSameForm =
                SchemaBuilder.declaration(of: old) == SchemaBuilder.declaration(of: new)
            self = isSameForm ? .none : .number
        }
    }

    /// Returns the SQL expression for a column's converted value.
    func sql(_ column: SQLName) -> String {
        switch self {
        case .none, .number: "\(column)"
        // An integer column may store a whole number as a REAL.
        case .integerToText: "CAST(CAST(\(column) AS INTEGER) AS TEXT)"
        case .uuidToText: Self.text(ofUUID: column)
        // An empty URI is read as `nil`.
        case .uriToText: "nullif(\(column), '')"
        }
    }

    /// Returns an expression with the format of `UUID.uuidString`: upper case, in groups of 8, 4,
    /// 4, 4 and 12 digits.
    private static func text(ofUUID column: SQLName) -> String {
        let groups = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map {
            "substr(hex(\(column)), \($0.0), \($0.1))"
        }
        return "CASE WHEN \(column) IS NOT NULL THEN \(groups.joined(separator: " || '-' || ")) END"
    }
}
