import CairnModel

/// A `SELECT` under construction: the table that it reads, and the tables joined to it.
///
/// The aliases `t0`, `t1`, … are unique within a statement, so an inner scope can refer to the
/// tables of an outer one.
struct QueryScope {
    /// A to-one relationship from the row with the given alias.
    private struct Step: Hashable {
        let alias: SQLName
        let relationship: Relationship
    }

    /// The first item of the `FROM` clause: a table, or a join table with its members.
    let source: SQLText
    /// The condition that links this scope to an outer one. `nil` for the outermost scope.
    let correlation: SQLText?
    /// The alias of the table whose rows the scope reads.
    let alias: SQLName
    /// The root entity of those rows.
    let root: EntityNumber
    /// The aliases of the to-one destinations that are already joined.
    private var joined: [Step: SQLName] = [:]
    private var joins: [SQLText] = []

    init(source: SQLText, correlation: SQLText? = nil, alias: SQLName, root: EntityNumber) {
        self.source = source
        self.correlation = correlation
        self.alias = alias
        self.root = root
    }

    /// The `FROM` clause with all joins.
    var from: SQLText { SQLText.joined([" FROM ", source] + joins, by: "") }

    /// The number of tables in the `FROM` clause.
    var tableCount: Int { 1 + joins.count }

    /// Returns the alias of the to-one relationship's destination, or `nil` if it has not been
    /// joined yet.
    func alias(of relationship: Relationship, from alias: SQLName) -> SQLName? {
        joined[Step(alias: alias, relationship: relationship)]
    }

    /// Joins the destination of a to-one relationship. A row without a destination is kept.
    mutating func joinToOne(
        _ relationship: Relationship, from owner: SQLName, table: SQLName, column: SQLName,
        as alias: SQLName
    ) {
        joined[Step(alias: owner, relationship: relationship)] = alias
        joins.append(
            """
             LEFT JOIN \(table) AS \(alias)\
             ON \(alias).Z_PK = \(owner).\(column)
            """)
    }

    /// Joins the members of a to-many relationship. A row without members is dropped.
    mutating func joinMembers(_ source: SQLText, on condition: SQLText) {
        joins.append(" JOIN \(source) ON \(condition)")
    }

    /// Returns the scope as a `SELECT` expression in parentheses.
    func select(_ result: SQLText, where condition: SQLText? = nil) -> SQLText {
        let conditions = [correlation, condition].compactMap(\.self)
        let filter: SQLText =
            conditions.isEmpty ? "" : " WHERE \(SQLText.joined(conditions, by: " AND "))"
        return "(SELECT \(result)\(from)\(filter))"
    }
}
