import CairnModel
import CairnStore

extension PredicateTranslator {
    /// Returns the terms of an `ORDER BY` clause, without the primary key that makes the order
    /// unique. Returns `nil` if SQL cannot sort in this order.
    ///
    /// SQLite sorts NULL first in ascending and last in descending order, as Cairn does with `nil`.
    mutating func order(by sorts: [BoundSort]) -> [SQLText]? {
        var attempt = self
        var terms: [SQLText] = []
        for sort in sorts {
            guard let term = try? attempt.term(of: sort) else { return nil }
            terms.append(term)
        }
        guard attempt.scopes[0].tableCount <= Self.mostTables else { return nil }
        self = attempt
        return terms
    }

    private mutating func term(of sort: BoundSort) throws(Untranslatable) -> SQLText {
        guard case .expression(let sql, let kind) = try operand(.path(sort.path)) else {
            throw Untranslatable()
        }
        let key = try sortKey(sql, kind, sort.textOrder)
        return sort.isAscending ? key : "\(key) DESC"
    }

    private func sortKey(
        _ sql: SQLText, _ kind: SQLOperand.Kind, _ order: BoundSort.TextOrder
    ) throws(Untranslatable) -> SQLText {
        if case .object = kind { return sql }
        guard kind.isOrdered else { throw Untranslatable() }
        guard kind == .text else { return sql }
        switch order {
        case .scalars: return sql
        case .caseInsensitive: return folded(sql, kind, .caseInsensitive)
        case .standard: return "cairn_order(\(sql))"
        }
    }
}
