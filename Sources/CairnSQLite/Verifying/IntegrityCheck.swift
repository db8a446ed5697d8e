import CairnModel
import CairnStore

extension SQLiteStore {
    /// Checks the file with SQLite's own integrity check, which covers its pages and each index
    /// against its table. Also finds rows whose `Z_ENT` is not an entity of their table, because no
    /// fetch by entity returns them.
    ///
    /// Reports at most 100 disagreements of each kind and table. Takes as long as reading the whole
    /// file a few times.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt` if the file is too damaged to be checked, or
    ///   `.engineFailure`.
    public func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
        try readers.checkOut().withConnection { (connection) throws(StoreError) in
            let check = try connection.statement("PRAGMA integrity_check(100)")
            var found: [StoreDisagreement] = []
            while try check.step() {
                guard let detail = check.text(at: 0), detail != "ok" else { continue }
                found.append(StoreDisagreement(location: "the SQLite file", detail: detail))
            }
            for root in schema.map.model.entities where root.superentity == nil {
                found += try rowsOfUnknownEntities(among: root, connection)
            }
            return found
        }
    }

    /// Returns the rows of a table that belong to none of its entities.
    private func rowsOfUnknownEntities(
        among root: Entity, _ connection: SQLiteConnection
    ) throws(StoreError) -> [StoreDisagreement] {
        guard let table = schema.map.schema(of: root)?.table else { return [] }
        let numbers = schema.map.storeNumbers(of: root.hierarchyNumbers).map(String.init)
        let rows = try connection.statement(
            "SELECT Z_PK, Z_ENT FROM \(table)"
                + " WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers.joined(separator: ",")))"
                + " LIMIT 100")
        var found: [StoreDisagreement] = []
        while try rows.step() {
            let (key, number) = (rows.text(at: 0) ?? "NULL", rows.text(at: 1) ?? "NULL")
            found.append(
                StoreDisagreement(
                    location: "table \(table)",
                    detail:
                        "row \(key) belongs to entity \(number), which is not \(root.name) or a subentity"
                ))
        }
        return found
    }
}
