import Cairn
import CairnPostgreSQL
import CairnTestSupport
import Foundation
import PostgreSQLStoreSupport
import Testing

/// The command `cairn`, built with the engine.
@Suite(.enabled(if: PostgreSQLHarness.database != nil, "CAIRN_POSTGRESQL names no database"))
struct `The tool on a server` {
    private let schema = "cairn-tool-\(UUID().uuidString.prefix(13))"
    private let database = PostgreSQLHarness.database ?? URL(fileURLWithPath: "/")
    private let folder: TemporaryFolder
    private let file: URL
    private var store: String { "\(database.appending(path: schema))" }

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("Trails.sqlite")
        let model = try ManagedObjectModel([
            EntityDescription(
                "Hut", [.attribute("name", .string), .toMany("trails", "Trail", inverse: "huts")]),
            EntityDescription(
                "Trail",
                [.attribute("length", .integer64), .toMany("huts", "Hut", inverse: "trails")]),
        ])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: .sqlite, at: file, options: [.tracksHistory: true])
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for number in 1...5 {
                let hut = try context.insertNewObject(forEntityName: "Hut")
                try hut.setValue("hut \(number)", forKey: "name")
                let trail = try context.insertNewObject(forEntityName: "Trail")
                try trail.setValue(number * 10, forKey: "length")
                try trail.setValue(Set([hut]), forKey: "huts")
            }
            try context.save()
        }
    }

    /// Runs the command, and requires that it succeeds and shows no password.
    @discardableResult
    private func cairn(_ arguments: String...) throws -> String {
        let run = try ToolRun(arguments)
        #expect(run.exitCode == 0, "\(arguments): \(run.errorText)")
        expectNoPassword(run)
        return run.text
    }

    private func expectNoPassword(_ run: ToolRun) {
        let password = database.password() ?? ""
        #expect(!password.isEmpty && !(run.text + run.errorText).contains(password))
    }

    private func withStore(_ body: () throws -> Void) throws {
        defer { try? PostgreSQLStore.removeSchemas(beginningWith: schema, from: database) }
        try cairn("store", "copy", file.path, store, "--type", "PostgreSQL", "--history")
        try body()
    }

    @Test func `shows, queries, checks and dumps a store as it does a file`() throws {
        try withStore {
            let info = try cairn("store", "info", store)
            #expect(info.contains("type        PostgreSQL") && info.contains("Trail"))
            #expect(try cairn("store", "verify", store).contains("10 objects"))
            for command in [
                ["dump"], ["query", "--entity", "Trail", "--where", "ANY huts.name == 'hut 3'"],
            ] {
                let (onServer, inFile) = try (
                    ToolRun(["store", command[0], store] + command.dropFirst()),
                    ToolRun(["store", command[0], file.path] + command.dropFirst())
                )
                #expect(onServer.text == inFile.text && onServer.exitCode == 0)
                #expect(onServer.text.contains("30"))
                expectNoPassword(onServer)
            }
            #expect(try cairn("store", "history", store).contains("insert"))
        }
    }

    @Test func `copies a store back to a file`() throws {
        try withStore {
            let copy = folder.file("copy.lmdb")
            try cairn("store", "copy", store, copy.path, "--type", "LMDB")
            #expect(
                try cairn("store", "dump", copy.path) == cairn("store", "dump", file.path))
        }
    }

    @Test func `creates a store, and refuses what needs a file, or is there`() throws {
        try withStore {
            let other = store + "-new"
            try cairn("store", "new", other, "--model", file.path, "--type", "PostgreSQL")
            #expect(try cairn("store", "dump", other).isEmpty)
            for arguments in [
                ["new", other, "--model", file.path, "--type", "PostgreSQL"],
                ["copy", file.path, store, "--type", "PostgreSQL"],
                ["copy", file.path, store, "--type", "PostgreSQL", "--replace"],
                ["compact", store], ["backup", store, folder.file("backup").path],
                ["info", store + "-missing"], ["info", "mysql://localhost/a/b"],
            ] {
                let run = try ToolRun(["store"] + arguments)
                #expect(run.exitCode == 1, "\(arguments): \(run.text)")
                #expect(!run.errorText.isEmpty)
                expectNoPassword(run)
            }
        }
    }
}
