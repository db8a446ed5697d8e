import CairnModel
import CairnSQL
import CairnStore
import Foundation

/// `CAIRN_SAVES`: the names of the most recent named saves, numbered in order.
///
/// This is Cairn's own table, which Core Data ignores (docs/decisions/saving-and-conflicts.md). The
/// first named save creates it. Row 0 holds the greatest of the names that were removed.
struct NamedSavesTable {
    private static let name = SQLName("CAIRN_SAVES")
    /// The minimum number of names that are remembered.
    static let capacity: Int64 = 1_000
    /// How many names are removed at a time, so that most saves write only to the end of the table.
    private static let forgottenAtOnce: Int64 = 100

    let connection: SQLiteConnection

    /// Records a name.
    ///
    /// - Throws: `.saveNameTooSmall`, `.corrupt` or `.engineFailure`.
    func add(_ id: SaveID) throws(StoreError) {
        try connection.run(
            "CREATE TABLE IF NOT EXISTS \(Self.name) (NUMBER INTEGER PRIMARY KEY, ID BLOB)")
        if let forgotten = try self.id("SELECT ID FROM \(Self.name) WHERE NUMBER = 0"),
            id <= forgotten
        {
            // SQLite compares blobs byte by byte, which is also the order of names.
            let greatest = try self.id("SELECT max(ID) FROM \(Self.name)")
            throw .saveNameTooSmall(connection.location, greatest: greatest ?? forgotten)
        }
        let number = try nextNumber()
        let insert = try connection.statement(
            "INSERT INTO \(Self.name) (NUMBER, ID) VALUES (?1, ?2)")
        try insert.bind(number, at: 1)
        try insert.bind(Data(id.bytes), at: 2)
        try insert.run()
        if number > Self.capacity, number.isMultiple(of: Self.forgottenAtOnce) {
            try forget(upTo: number - Self.capacity)
        }
    }

    private func nextNumber() throws(StoreError) -> Int64 {
        let select = try connection.statement("SELECT max(NUMBER) FROM \(Self.name)")
        defer { select.rest() }
        let location = "table \(Self.name), column NUMBER"
        let last = try select.step() ? try select.integer(at: 0, location) ?? 0 : 0
        guard last >= 0, last < .max else {
            throw .corrupt(
                connection.location, location: location, detail: "it is not a number of saves")
        }
        return last + 1
    }

    private func forget(upTo number: Int64) throws(StoreError) {
        let replace = try connection.statement(
            """
            REPLACE INTO \(Self.name) (NUMBER, ID) \
            SELECT 0, max(ID) FROM \(Self.name) WHERE NUMBER <= ?1
            """)
        try replace.bind(number, at: 1)
        try replace.run()
        let delete = try connection.statement(
            "DELETE FROM \(Self.name) WHERE NUMBER BETWEEN 1 AND ?1")
        try delete.bind(number, at: 1)
        try delete.run()
    }

    /// Returns whether the save with this name was committed, as far as the table shows it.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        guard try exists() else { return .notSaved }
        let select = try connection.statement(
            "SELECT 1 FROM \(Self.name) WHERE NUMBER > 0 AND ID = ?1")
        try select.bind(Data(id.bytes), at: 1)
        defer { select.reset() }
        if try select.step() { return .saved }
        return SaveRecord.outcome(
            ofUnrecorded: id,
            greatestForgotten: try self.id("SELECT ID FROM \(Self.name) WHERE NUMBER = 0"))
    }

    private func exists() throws(StoreError) -> Bool {
        let select = try connection.statement(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '\(Self.name.text)'")
        defer { select.rest() }
        return try select.step()
    }

    /// Returns the name that a query selects, or `nil` if it selects no row.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    private func id(_ query: String) throws(StoreError) -> SaveID? {
        let select = try connection.statement(query)
        defer { select.rest() }
        guard try select.step() else { return nil }
        guard let id = SaveID(bytes: Array(select.bytes(at: 0))) else {
            throw .corrupt(
                connection.location, location: "table \(Self.name), row 0",
                detail: "it is not the name of a save")
        }
        return id
    }
}
