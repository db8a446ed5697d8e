import CairnModel

/// Translates the condition of a partial index to SQL. SQLite does not accept bound values there.
///
/// Supports comparisons of an attribute with a number, a Boolean, a string or `nil`, combined with
/// AND, OR and NOT. An index with any other condition is created for all rows: it is larger, but
/// equally correct.
struct PartialIndexCondition {
    let entity: Entity
    let map: SchemaMap

    /// Returns the condition as SQL, or `nil` if it cannot be translated.
    func sql(for predicate: FetchPredicate) -> String? {
        switch predicate {
        case .constant(let value): value ? "1" : "0"
        case .comparison(let comparison): sql(for: comparison)
        case .and(let parts): joined(parts, " AND ")
        case .or(let parts): joined(parts, " OR ")
        case .not(let inner): sql(for: inner).map { "NOT (\($0))" }
        }
    }

    private func joined(_ parts: [FetchPredicate], _ separator: String) -> String? {
        let conditions = parts.compactMap(sql(for:))
        guard conditions.count == parts.count, !parts.isEmpty else { return nil }
        return "(" + conditions.joined(separator: separator) + ")"
    }

    private func sql(for comparison: PredicateComparison) -> String? {
        guard case .keyPath(let path) = comparison.left, path.count == 1,
            case .constant(let value) = comparison.right, comparison.modifier == .direct,
            comparison.options.isEmpty,
            let column = IndexBuilder(map: map, table: SQLName("")).column(path[0], of: entity)
        else { return nil }
        switch (comparison.operator, value) {
        case (.equal, .null): return "\(column) IS NULL"
        case (.notEqual, .null): return "\(column) IS NOT NULL"
        case (let `operator`, let value):
            guard let symbol = Self.symbols[`operator`], let literal = Self.literal(value) else {
                return nil
            }
            return "\(column) \(symbol) \(literal)"
        }
    }

    private static let symbols: [PredicateComparison.Operator: String] = [
        .equal: "=", .notEqual: "<>", .lessThan: "<", .lessThanOrEqual: "<=",
        .greaterThan: ">", .greaterThanOrEqual: ">=",
    ]

    private static func literal(_ value: Value) -> String? {
        switch value {
        case .boolean(let value): value ? "1" : "0"
        case .integer(let value): "\(value)"
        case .double(let value) where value.isFinite: "\(value)"
        case .string(let value) where !value.contains("\0"):
            "'" + value.replacing("'", with: "''") + "'"
        default: nil
        }
    }
}
