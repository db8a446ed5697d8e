import CairnModel
import CairnSQL
import CairnStore

/// `Z_PRIMARYKEY`: the store's entities, their numbers, and the last key that was assigned in each
/// root entity.
struct PrimaryKeyTable {
    let connection: SQLiteConnection

    /// Returns the entities that the store lists, including Core Data's own bookkeeping entities.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func readEntities() throws(StoreError) -> [(name: String, number: Int64)] {
        let select = try connection.statement("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY")
        var entities: [(name: String, number: Int64)] = []
        while try select.step() {
            guard let name = select.text(at: 0) else { continue }
            entities.append((name, try select.key(at: 1, "Z_PRIMARYKEY, column Z_ENT")))
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

    /// Replaces the rows of the model's entities with those of another model version. The last key
    /// of each table is kept.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    func replaceEntities(_ plan: InPlacePlan) throws(StoreError) {
        var lastKeys: [(number: Int64, key: Int64)] = []
        for table in plan.tables {
            guard let oldRoot = plan.pairs.oldRoot(of: table.root),
                let before = plan.pairs.old.storeNumber(of: oldRoot.number),
                let after = plan.pairs.new.storeNumber(of: table.root.number)
            else { continue }
            lastKeys.append((after, try lastKey(ofRoot: before, table: table.newTable)))
        }
        try connection.execute(
            "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(StoreEntities.firstReservedNumber)")
        try create(plan.pairs.new)
        for (number, key) in lastKeys { try raise(root: number, to: key) }
    }

    /// Returns the highest key that was ever assigned in a root entity or is in use in its table;
    /// at least 0.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    func lastKey(ofRoot number: Int64, table: SQLName) throws(StoreError) -> Int64 {
        let select = try connection.savePlans.lastKey(ofRoot: number) { () throws(StoreError) in
            try connection.statement(
                """
                SELECT (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1), \
                (SELECT max(Z_PK) FROM \(table))
                """)
        }
        defer { select.rest() }
        try select.bind(number, at: 1)
        guard try select.step() else { return 0 }
        let given = try select.integer(at: 0, Self.location(ofRoot: number)) ?? 0
        guard given >= 0 else {
            throw .corrupt(
                connection.location, location: Self.location(ofRoot: number),
                detail: "it is negative")
        }
        return max(given, try select.integer(at: 1, "table \(table), column Z_PK") ?? 0)
    }

    private static func location(ofRoot number: Int64) -> String {
        "Z_PRIMARYKEY, column Z_MAX of entity \(number)"
    }

    /// Records that keys up to `key` were assigned. Has no effect if the recorded key is higher.
    ///
    /// - Throws: `.engineFailure`.
    func raise(root number: Int64, to key: Int64) throws(StoreError) {
        let update = try connection.savePlans.raisingKeys { () throws(StoreError) in
            try connection.statement(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2 AND ifnull(Z_MAX, 0) < ?1")
        }
        try update.bind(key, at: 1)
        try update.bind(number, at: 2)
        try update.run()
    }
}
