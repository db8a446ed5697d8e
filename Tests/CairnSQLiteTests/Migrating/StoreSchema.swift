import CoreDataCheckSupport
import Foundation

@testable import CairnSQLite

/// The tables, indexes and triggers of a database. Ignores the order of columns and the names of indexes,
/// which migrations in place do not change.
struct StoreSchema {
    private var parts: Set<String> = []
    /// The join tables, described without names that depend on the side after which they are named: the
    /// entities whose keys the columns hold, and the number of order columns.
    private var joinTables: [String] = []

    init(_ file: URL) throws {
        let sql = try PlainSQL(file)
        let rows = try sql.rows("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        for row in rows {
            guard let type = row[0].text, let name = row[1].text, let text = row[2].text else {
                continue
            }
            if type == "table", name.hasPrefix("Z_"), name.dropFirst(2).first?.isNumber == true {
                let columns = try sql.rows(
                    "SELECT name FROM pragma_table_info('\(name.replacing("'", with: "''"))')")
                let forms = columns.compactMap { $0[0].text }.map { column in
                    column.hasPrefix("Z_FOK_")
                        ? "order" : String(column.prefix { $0 < "A" || $0 == "Z" || $0 == "_" })
                }
                joinTables.append(forms.sorted().joined(separator: " "))
            }
            switch type {
            case "table" where text.hasPrefix("CREATE VIRTUAL"): parts.insert(text)
            case "table":
                let columns = try sql.rows(
                    "SELECT name, type, pk FROM"
                        + " pragma_table_info('\(name.replacing("'", with: "''"))')")
                for column in columns {
                    parts.insert(
                        "\(name).\(column[0].text ?? "") \(column[1].text ?? "")"
                            + " \(column[2].integer == 0 ? "" : "key")")
                }
            case "index": parts.insert("index " + StoredIndex.definition(text))
            default: parts.insert("\(type) " + text.replacing("\"", with: ""))
            }
        }
        let entities = try sql.rows(
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
        for entity in entities { parts.insert("entity \(entity)") }
    }

    /// Returns whether a table's column (such as `ZBOOK.ZTITLE VARCHAR `), an index, or a trigger exists.
    func contains(_ part: String) -> Bool { parts.contains(part) }

    /// Returns the parts that only one of the two schemas has.
    ///
    /// - Parameter ignoresJoinNames: Whether the join table of a many-to-many relationship may be named after
    ///   either side.
    func differences(from wanted: StoreSchema, ignoresJoinNames: Bool) -> [String] {
        var added = parts.subtracting(wanted.parts)
        var missing = wanted.parts.subtracting(parts)
        if ignoresJoinNames, joinTables.sorted() == wanted.joinTables.sorted() {
            added = added.filter { !Self.isJoin($0) }
            missing = missing.filter { !Self.isJoin($0) }
        }
        return added.sorted().map { "+ \($0)" } + missing.sorted().map { "- \($0)" }
    }

    private static func isJoin(_ part: String) -> Bool {
        let name = part.replacing("index ", with: "")
        return name.hasPrefix("Z_") && name.dropFirst(2).first?.isNumber == true
    }
}
