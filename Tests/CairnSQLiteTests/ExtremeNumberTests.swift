import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

@testable import CairnSQLite

/// Numbers in a store's tables and in its file header that no program would write on purpose.
@Suite struct `A SQLite store with numbers at the limits` {
    private let folder: TemporaryFolder
    private let request: OpenRequest
    private let sound: Data

    init() throws {
        folder = try TemporaryFolder()
        request = OpenRequest(
            location: .file(folder.file("store.sqlite")),
            model: try ManagedObjectModel(SampleModel.entities),
            options: [.roundsValues: true, .synchronous: "NORMAL"])
        let store = try SQLiteStore.open(request)
        try SampleModel.fill(store, count: 6)
        try store.close()
        let url = folder.file("store.sqlite")
        try Self.edit(url, Self.history)
        // A save that records the first transaction in the history.
        try Self.save(request)
        sound = try Data(contentsOf: url)
    }

    private static let history = """
        CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, \
        ZCOLUMNS BLOB);
        CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, \
        ZTIMESTAMP TIMESTAMP);
        CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZNAME VARCHAR);
        INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (16001, 'CHANGE', 0, 0), \
        (16002, 'TRANSACTION', 0, 0), (16003, 'TRANSACTIONSTRING', 0, 0);
        """

    // MARK: All fields

    @Test func `is read and saved, or refused, in every integer column`() throws {
        let url = folder.file("store.sqlite")
        let columns = try integerColumns(url)
        let values = ExtremeNumbers.signed.map(String.init) + ["'7x'", "1.5"]

        var outcomes: [String: Int] = [:]
        for (index, column) in columns.enumerated() {
            for (number, value) in values.enumerated()
            where TestSetting.isLong || (index + number) % 3 == 0 {
                try write(sound)
                guard try Self.set(column, to: value, in: url) else { continue }
                outcomes[try outcome("\(column.table).\(column.name) = \(value)"), default: 0] += 1
            }
        }

        #expect(columns.count > 30)
        #expect(outcomes["refused", default: 0] > 20)
        #expect(outcomes["saved", default: 0] > 20)
    }

    @Test func `is read and saved, or refused, in every field of the file's header`() throws {
        // Offsets and lengths from sqlite.org/fileformat2.html, section 1.3.
        let fields =
            [(16, 2), (18, 1), (19, 1), (20, 1), (21, 1), (22, 1), (23, 1), (92, 4), (96, 4)]
            + stride(from: 24, to: 72, by: 4).map { ($0, 4) }

        for (offset, byteCount) in fields {
            for bytes in ExtremeNumbers.bigEndian(byteCount: byteCount) {
                var damaged = sound
                damaged.replaceSubrange(offset..<offset + byteCount, with: bytes)
                try write(damaged)
                _ = try outcome("header byte \(offset) = \(bytes)")
            }
        }
    }

    /// Reads everything and saves something. An acknowledged save must have added a row and removed none.
    private func outcome(_ name: String) throws -> String {
        let url = folder.file("store.sqlite")
        let before = try? rowCount(url)
        do {
            let store = try SQLiteStore.open(request)
            defer { try? store.close() }
            _ = try store.metadata()
            try SampleModel.readAll(store)
            try Self.save(store, request.model)
        } catch is StoreError {
            return "refused"
        }
        let after = try rowCount(url)
        if let before { #expect(after == before + 1, "\(name)") }
        return "saved"
    }

    // MARK: Particular fields

    @Test(arguments: [
        ("UPDATE Z_PRIMARYKEY SET Z_MAX = '7x'", "column Z_MAX"),
        ("UPDATE Z_PRIMARYKEY SET Z_MAX = -1", "column Z_MAX"),
        ("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT > 16000", "ACHANGE"),
        ("UPDATE ATRANSACTION SET Z_PK = 9223372036854775807 WHERE Z_PK = 1", "ATRANSACTION"),
    ])
    func `is reported as damaged if a save would assign a key twice`(
        _ sql: String, _ location: String
    ) throws {
        try Self.edit(folder.file("store.sqlite"), sql)

        let error = #expect(throws: StoreError.self) { try Self.save(request) }

        guard case .corrupt(_, let found, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found.contains(location) || found.contains("ATRANSACTION"))
    }

    @Test(arguments: [
        ("UPDATE ZITEM SET Z_PK = -5 WHERE Z_PK = 5", "table ZITEM, column Z_PK, key -5"),
        ("UPDATE ZITEM SET Z_PK = 0 WHERE Z_PK = 5", "table ZITEM, column Z_PK, key 0"),
        ("UPDATE ZITEM SET ZBOX = -1 WHERE Z_PK = 1", "table ZITEM, column ZBOX, key 1"),
        ("UPDATE ZITEM SET ZBOX = 0 WHERE Z_PK = 1", "table ZITEM, column ZBOX, key 1"),
        ("UPDATE ZITEM SET Z_OPT = -1 WHERE Z_PK = 1", "table ZITEM, column Z_OPT, key 1"),
        (
            "UPDATE ZITEM SET Z_OPT = 9223372036854775807 WHERE Z_PK = 1",
            "table ZITEM, column Z_OPT, key 1"
        ),
        ("UPDATE ZITEM SET Z_FOK_BOX = 'last' WHERE Z_PK = 1", "the order of items"),
        ("UPDATE Z_PRIMARYKEY SET Z_ENT = -3 WHERE Z_ENT = 3", "Z_PRIMARYKEY, column Z_ENT"),
    ])
    func `is reported as damaged if an object would have wrong members`(
        _ sql: String, _ location: String
    ) throws {
        try Self.edit(folder.file("store.sqlite"), sql)

        let error = #expect(throws: StoreError.self) {
            try SampleModel.readAll(try SQLiteStore.open(request))
        }

        guard case .corrupt(_, let found, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found == location)
    }

    // MARK: Editing

    private struct Column {
        var table: String
        var name: String
    }

    private func write(_ bytes: Data) throws {
        let url = folder.file("store.sqlite")
        for suffix in ["-wal", "-shm", "-journal"] { unlink(url.path + suffix) }
        try bytes.write(to: url)
    }

    private func integerColumns(_ url: URL) throws -> [Column] {
        let connection = try SQLiteConnection(
            path: url.path, mode: .readOnly, location: .file(url))
        let select = try connection.statement(
            """
            SELECT m.name, i.name FROM sqlite_master AS m, pragma_table_info(m.name) AS i \
            WHERE m.type = 'table' AND i.type = 'INTEGER' AND (i.name LIKE 'Z\\_%' ESCAPE '\\' \
            OR m.name LIKE 'A%' OR i.name IN ('ZBOX', 'ZASHORT', 'ZALONGER'))
            """)
        var columns: [Column] = []
        while try select.step() {
            columns.append(
                Column(table: select.text(at: 0) ?? "", name: select.text(at: 1) ?? ""))
        }
        return columns
    }

    /// Sets a column in all rows, or in the first row if the rows cannot share the value. Returns `false` if
    /// SQLite rejects the value.
    private static func set(_ column: Column, to value: String, in url: URL) throws -> Bool {
        let update = "UPDATE \(column.table) SET \(column.name) = \(value)"
        if (try? edit(url, update)) != nil { return true }
        let first = " WHERE rowid = (SELECT min(rowid) FROM \(column.table))"
        return (try? edit(url, update + first)) != nil
    }

    private static func edit(_ url: URL, _ sql: String) throws {
        let connection = try SQLiteConnection(
            path: url.path, mode: .readWrite, location: .file(url))
        try connection.execute("PRAGMA synchronous = OFF")
        try connection.execute(sql)
        try connection.enableCleanupOnClose()
    }

    private func rowCount(_ url: URL) throws -> Int {
        let connection = try SQLiteConnection(
            path: url.path, mode: .readOnly, location: .file(url))
        let select = try connection.statement("SELECT count(*) FROM ZBOX")
        defer { select.reset() }
        return try select.step() ? Int(select.int64(at: 0)) : 0
    }

    private static func save(_ request: OpenRequest) throws {
        let store = try SQLiteStore.open(request)
        defer { try? store.close() }
        try save(store, request.model)
    }

    /// Inserts a box.
    private static func save(_ store: SQLiteStore, _ model: ManagedObjectModel) throws {
        let box = try #require(model.entity(named: "Box"))
        let save = try store.beginSave()
        let keys = try save.reserveKeys([box.number: 1])
        var writer = RowWriter(store: store.number)
        writer.begin(
            store.request.layouts.layout(of: box), key: try #require(keys[box.number]?.lowerBound),
            version: 1)
        writer.endRow()
        try save.prepare(SaveRequest(inserted: writer.takeBatch()))
        _ = try save.commit()
    }
}
