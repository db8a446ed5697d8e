import CairnModel

/// A `SELECT` under construction: the table that it reads, and the tables joined to it.
///
/// The aliases `t0`, `t1`, … are unique within a statement, so an inner scope can refer to the
/// tables of an outer one.
package struct QueryScope {
    /// A to-one relationship from the row with the given alias.
    private struct Step: Hashable {
        let alias: SQLName
        let relationship: Relationship
    }

    /// The alias of the table of the fetched entity.
    package static let base = SQLName("t0")

    /// The first item of the `FROM` clause.
    private let source: SQLSource
    /// The condition that links this scope to an outer one. `nil` for the outermost scope.
    private let correlation: SQLText?
    /// The root entity of the rows that the scope reads.
    let root: EntityNumber
    /// The aliases of the to-one destinations that are already joined.
    private var joined: [Step: SQLName] = [:]
    private var joins: [SQLText] = []
    /// The number of tables in the `FROM` clause.
    private(set) var tableCount: Int

    init(_ source: SQLSource, correlation: SQLText? = nil, root: EntityNumber) {
        self.source = source
        self.correlation = correlation
        self.root = root
        tableCount = source.tableCount
    }

    /// The alias of the table whose rows the scope reads.
    var alias: SQLName { source.alias }

    /// The `FROM` clause with all joins.
    package var from: SQLText { SQLText.joined([" FROM ", source.text] + joins, by: "") }

    /// Returns the alias of the to-one relationship's destination, or `nil` if it has not been
    /// joined yet.
    func alias(of relationship: Relationship, from alias: SQLName) -> SQLName? {
        joined[Step(alias: alias, relationship: relationship)]
    }

    /// Joins the destination of a to-one relationship. A row without a destination is kept.
    mutating func joinToOne(
        _ relationship: Relationship, from owner: SQLName, _ destination: SQLSource,
        on condition: SQLText
    ) {
        joined[Step(alias: owner, relationship: relationship)] = destination.alias
        joins.append(" LEFT JOIN \(destination.text) ON \(condition)")
        tableCount += destination.tableCount
    }

    /// Joins the members of a to-many relationship. A row without members is dropped.
    mutating func joinMembers(_ members: SQLSource, on condition: SQLText) {
        joins.append(" JOIN \(members.text) ON \(condition)")
        tableCount += members.tableCount
    }

    /// Returns the scope as a `SELECT` expression in parentheses.
    func select(_ result: SQLText, where condition: SQLText? = nil) -> SQLText {
        let conditions = [correlation, condition].compactMap(\.self)
        let filter: SQLText =
            conditions.isEmpty ? "" : " WHERE \(SQLText.joined(conditions, by: " AND "))"
        return "(SELECT \(result)\(from)\(filter))"
    }
}

/// An item of a `FROM` clause: a table, or a table of pairs with their members.
struct SQLSource {
    var text: SQLText
    /// The alias of the table with the objects.
    var alias: SQLName
    var tableCount = 1
}
