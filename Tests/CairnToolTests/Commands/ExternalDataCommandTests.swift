import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Tests commands with a store that has a large value in a separate file, which exists or is missing.
@Suite struct `Commands on external data` {
    private let folder: TemporaryFolder
    private let store: URL
    private static let photo = Data(repeating: 7, count: 200_000)

    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("Photos.sqlite")
        var image = AttributeDescription("image", .binary)
        image.allowsExternalBinaryDataStorage = true
        let model = try ManagedObjectModel([
            EntityDescription("Photo", [.attribute("name", .string), .attribute(image)])
        ])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(ofType: .sqlite, at: store)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let large = try context.insertNewObject(forEntityName: "Photo")
            try large.setValue("large", forKey: "name")
            try large.setValue(Self.photo, forKey: "image")
            let small = try context.insertNewObject(forEntityName: "Photo")
            try small.setValue("small", forKey: "name")
            try small.setValue(Data([1, 2, 3]), forKey: "image")
            try context.save()
        }
        try coordinator.remove(added)
    }

    private func removeFiles() throws {
        try FileManager.default.removeItem(at: folder.file(".Photos_SUPPORT"))
    }

    private func query(_ format: String, _ flags: String...) throws -> ToolRun {
        try ToolRun(
            ["store", "query", store.path, "--entity", "Photo", "--format", format] + flags)
    }

    @Test(arguments: ["json", "csv"])
    func `query prints the bytes of a value that is stored in a file`(_ format: String) throws {
        let run = try query(format)

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text.contains(Self.photo.base64EncodedString()))
        #expect(run.text.contains(Data([1, 2, 3]).base64EncodedString()))
    }

    @Test(arguments: ["json", "csv", "table"])
    func `query prints a value whose file is missing as null, and names the file`(
        _ format: String
    ) throws {
        try removeFiles()

        let run = try query(format)
        let allowed = try query(format, "--allow-missing-external-data")

        #expect(run.exitCode == 1)
        #expect(allowed.exitCode == 0, "\(allowed.errorText)")
        #expect(allowed.output == run.output)
        #expect(run.errorText.contains(".Photos_SUPPORT/_EXTERNAL_DATA/"))
        #expect(run.text.contains("large") && run.text.contains("small"))
        if format == "json" { #expect(run.text.contains("\"image\":null")) }
    }

    @Test func `dump continues to the end, names each missing file and fails unless allowed`()
        throws
    {
        try removeFiles()

        let run = try ToolRun(["store", "dump", store.path])
        let allowed = try ToolRun(
            ["store", "dump", store.path, "--allow-missing-external-data"])

        #expect(run.exitCode == 1)
        #expect(allowed.exitCode == 0, "\(allowed.errorText)")
        #expect(allowed.output == run.output)
        #expect(run.text.split(separator: "\n").count == 2)
        #expect(!run.text.contains("\"image\":null"))
        #expect(run.errorText.contains("Photo/1.image: the file "))
    }

    @Test(arguments: everyFileEngine.map(\.rawValue))
    func `copy refuses a missing file unless allowed, and then stores nil`(_ type: String) throws {
        try removeFiles()
        let copy = ["store", "copy", store.path, folder.file("copy").path, "--type", type]

        let refused = try ToolRun(copy)
        let isThere = FileManager.default.fileExists(atPath: folder.file("copy").path)
        let allowed = try ToolRun(copy + ["--allow-missing-external-data"])
        let dump = try ToolRun(["store", "dump", folder.file("copy").path])
        let original = try ToolRun(["store", "dump", store.path])

        #expect(refused.exitCode == 1)
        #expect(refused.errorText.contains("--allow-missing-external-data"))
        #expect(!isThere)
        #expect(allowed.exitCode == 0, "\(allowed.errorText)")
        #expect(allowed.errorText.contains("Photo/1.image: the file "))
        #expect(dump.exitCode == 0, "\(dump.errorText)")
        #expect(original.text == dump.text)
        #expect(
            dump.text.split(separator: "\n").first
                == "{\"entity\":\"Photo\",\"key\":1,\"values\":{\"name\":\"large\"}}")
    }

    @Test func `verify reports a missing file`() throws {
        let sound = try ToolRun(["store", "verify", store.path])
        try removeFiles()

        let run = try ToolRun(["store", "verify", store.path])

        #expect(sound.exitCode == 0, "\(sound.text)")
        #expect(run.exitCode == 4)
        #expect(run.text.contains("Photo/1.image: the file "))
    }

    @Test func `verify lists files that no object has, which are no problem`() throws {
        let left = folder.file(".Photos_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)")
        try Data("left by a save that was killed".utf8).write(to: left)

        let run = try ToolRun(["store", "verify", store.path])
        let limited = try ToolRun(["store", "verify", store.path, "--limit", "0"])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text.contains("note: no object has its value in the file \(left.path)"))
        #expect(run.text.split(separator: "\n").count == 2)
        #expect(limited.text.contains("note: 1 more file of large values that no object has"))
    }

    @Test func `tidy removes the files that verify lists, and no others`() throws {
        let content = folder.file(".Photos_SUPPORT/_EXTERNAL_DATA")
        let left = content.appending(path: UUID().uuidString)
        try Data("left by a save that was killed".utf8).write(to: left)
        let foreign = content.appending(path: "notes.txt")
        try Data("not a large value".utf8).write(to: foreign)

        let run = try ToolRun(["store", "tidy", store.path])
        let again = try ToolRun(["store", "tidy", store.path])
        let verify = try ToolRun(["store", "verify", store.path])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text == "removed \(left.path)\n1 file removed, 1 left\n")
        #expect(again.text == "0 files removed, 1 left\n")
        #expect(verify.exitCode == 0 && verify.text.contains(foreign.path), "\(verify.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: content.path).count == 2)
    }

    @Test func `leave an object without its file readable, and its reference is kept when saved`()
        throws
    {
        try removeFiles()
        let model = try ManagedObjectModel(
            try #require(try SQLiteStore.model(at: .file(store))))
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(ofType: .sqlite, at: store)

        let failure = try ContextHandle(coordinator: coordinator).performAndWait {
            context -> String in
            var request = FetchRequest<ManagedObject>("Photo")
            request.predicate = try FetchPredicate(format: "name == 'large'")
            let photo = try #require(try context.fetch(request).first)
            let error = #expect(throws: GraphError.self) { try photo.value(forKey: "image") }
            try photo.setValue("renamed", forKey: "name")
            try context.save()
            return error.map { "\($0)" } ?? ""
        }
        try coordinator.remove(added)
        let dump = try ToolRun(["store", "dump", store.path])

        #expect(failure.contains(".Photos_SUPPORT/_EXTERNAL_DATA/"))
        #expect(dump.text.contains("\"key\":1,\"values\":{\"name\":\"renamed\"}"))
        #expect(dump.errorText.contains("Photo/1.image: the file "))
    }
}
