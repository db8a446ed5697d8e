import Cairn
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import Testing

/// Tables whose virtual-table module only the app has, so that SQLite cannot read them here.
@Suite struct `A store with an app's own virtual table` {
    @Test func `is read and found intact`() throws {
        let folder = try TemporaryFolder()
        let store = folder.file("Trails.sqlite")
        let fixture = Repository.file("Fixtures/Trails.sqlite")
        try FileManager.default.copyItem(at: fixture, to: store)
        let before = try ToolRun(["store", "dump", store.path])
        let sql = try PlainSQL(store)
        _ = try sql.rows("PRAGMA writable_schema = ON")
        _ = try sql.rows(
            """
            INSERT INTO sqlite_master VALUES ('table', 'ZSEARCH', 'ZSEARCH', 0, \
            'CREATE VIRTUAL TABLE ZSEARCH USING no_such_module(name)')
            """)

        let info = try ToolRun(["store", "info", store.path])
        let dump = try ToolRun(["store", "dump", store.path])
        let verify = try ToolRun(["store", "verify", store.path])

        #expect(info.exitCode == 0, "\(info.errorText)")
        #expect(dump.exitCode == 0, "\(dump.errorText)")
        #expect(dump.output == before.output)
        #expect(verify.exitCode == 0, "\(verify.text)\(verify.errorText)")
    }
}
