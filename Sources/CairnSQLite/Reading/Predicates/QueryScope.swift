import CairnModel

/// One `SELECT` under construction: the table it walks and what is joined to it.
///
/// Tables get aliases `t0`, `t1`, … that no two scopes of a statement share, so an inner scope may
/// name the tables of an outer one.
struct QueryScope {
    /// A walk over a to-one from the row with that alias.
    private struct Step: Hashable {
        let alias: SQLName
        let relationship: Relationship
    }

    /// The table walked, or the join table and the members; begins the `FROM` clause.
    let source: SQLText
    /// What ties the scope to an outer one. `nil` in the outermost.
    let correlation: SQLText?
    /// The alias of the table whose rows the scope is about.
    let alias: SQLName
    /// The root entity of those rows.
    let root: EntityNumber
    /// The aliases of destinations that were joined.
    private var joined: [Step: SQLName] = [:]
    private var joins: [SQLText] = []

    init(source: SQLText, correlation: SQLText? = nil, alias: SQLName, root: EntityNumber) {
        self.source = source
        self.correlation = correlation
        self.alias = alias
        self.root = root
    }

    /// `FROM` with everything that is joined.
    var from: SQLText { SQLText.joined([" FROM ", source] + joins, by: "") }

    /// How many tables are read.
    var tableCount: Int { 1 + joins.count }

    /// The alias of the to-one's destination. `nil` if it was not joined yet.
    func alias(of relationship: Relationship, from alias: SQLName) -> SQLName? {
        joined[Step(alias: alias, relationship: relationship)]
    }

    /// Joins the destination of a to-one. `nil` stays `nil`.
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

    /// Joins the members of a to-many; an owner without any disappears.
    mutating func joinMembers(_ source: SQLText, on condition: SQLText) {
        joins.append(" JOIN \(source) ON \(condition)")
    }

    /// A `SELECT` inside of an expression.
    func select(_ result: SQLText, where condition: SQLText? = nil) -> SQLText {
        let conditions = [correlation, condition].compactMap(\.self)
        let filter: SQLText =
            conditions.isEmpty ? "" : " WHERE \(SQLText.joined(conditions, by: " AND "))"
        return "(SELECT \(result)\(from)\(filter))"
    }
}
