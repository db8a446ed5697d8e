import CairnModel
import CairnStore

/// `Z_PRIMARYKEY`: the store's entities, their numbers, and the last key given in each root.
struct PrimaryKeyTable {
    let connection: SQLiteConnection

    /// Returns the entities that the store lists, its own bookkeeping ones too.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func readEntities() throws(StoreError) -> [(name: String, number: Int64)] {
        let select = try connection.statement("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY")
        var entities: [(name: String, number: Int64)] = []
        while try select.step() {
            if let name = select.text(at: 0) { entities.append((name, select.int64(at: 1))) }
        }
        return entities
    }

    /// Writes the rows of a new store.
    ///
    /// - Throws: `.engineFailure`.
    func create(_ entities: StoreEntities) throws(StoreError) {
        let insert = try connection.statement(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
        for (entity, number) in entities.entities {
            let parent = entity.superentity.flatMap { entities.storeNumber(of: $0.number) }
            try insert.bind(number, at: 1)
            try insert.bind(entity.name, at: 2)
            try insert.bind(parent ?? 0, at: 3)
            try insert.run()
        }
    }

    /// Returns the highest key ever given in a root entity, or in use in its table.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    func lastKey(ofRoot number: Int64, table: SQLName) throws(StoreError) -> Int64 {
        let select = try connection.savePlans.lastKey(ofRoot: number) { () throws(StoreError) in
            try connection.statement(
                """
                SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1), 0), \
                ifnull((SELECT max(Z_PK) FROM \(table)), 0))
                """)
        }
        defer { select.rest() }
        try select.bind(number, at: 1)
        return try select.step() ? max(0, select.int64(at: 0)) : 0
    }

    /// Notes that keys up to this one were given; a lower one changes nothing.
    ///
    /// - Throws: `.engineFailure`.
    func raise(root number: Int64, to key: Int64) throws(StoreError) {
        let update = try connection.savePlans.raisingKeys { () throws(StoreError) in
            try connection.statement(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = max(ifnull(Z_MAX, 0), ?1) WHERE Z_ENT = ?2")
        }
        try update.bind(key, at: 1)
        try update.bind(number, at: 2)
        try update.run()
    }
}
