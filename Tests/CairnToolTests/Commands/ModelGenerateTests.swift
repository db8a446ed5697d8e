import Cairn
import CairnProcesses
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Tests `cairn model generate` and `cairn model check`.
@Suite struct `Classes that the tool generates` {
    private let folder: TemporaryFolder
    private let model: URL
    private let classes: URL

    init() throws {
        folder = try TemporaryFolder()
        model = folder.file("Library.xcdatamodeld")
        classes = folder.file("Classes")
        try write(Library.entities)
    }

    private func write(_ entities: [EntityDescription]) throws {
        try? FileManager.default.removeItem(at: model)
        let compiled = try ManagedObjectModel(entities)
        try ModelCreator.create(
            VersionedModel(versions: ["Library": compiled], currentName: "Library"),
            as: .xcdatamodeld, at: model)
    }

    private func run(_ command: String) throws -> ToolRun {
        try ToolRun(["model", command, model.path, "-o", classes.path])
    }

    private var names: [String] {
        let walk = FileManager.default.enumerator(atPath: classes.path)
        return (walk?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".swift") }.sorted()
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: classes.appending(path: name), encoding: .utf8)
    }

    @Test func `have a generated file and an editable one for each entity`() throws {
        let result = try run("generate")

        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(
            names == [
                "Author.swift", "Book.swift", "Chapter.swift", "Generated/AuthorProperties.swift",
                "Generated/BookProperties.swift", "Generated/ChapterProperties.swift",
                "Generated/LibraryClasses.swift", "Generated/NovelProperties.swift", "Novel.swift",
            ])
        #expect(result.text.contains("added Generated/AuthorProperties.swift"))
        #expect(try run("generate").text == "Everything was up to date.\n")
    }

    @Test func `are generated again, but edited files are kept`() throws {
        _ = try run("generate")
        let edited = "import Cairn\n\nfinal class Author: AuthorProperties { var isMine = true }\n"
        try FileManager.default.createDirectory(
            at: classes.appending(path: "Own"), withIntermediateDirectories: true)
        try FileManager.default.removeItem(at: classes.appending(path: "Author.swift"))
        try Data(edited.utf8).write(to: classes.appending(path: "Own/Author.swift"))
        try write(
            Library.entities.map { entity in
                guard entity.name == "Author" else { return entity }
                var entity = entity
                entity.properties.append(.attribute("prize", .string))
                return entity
            })

        let result = try run("generate")

        #expect(result.text == "changed Generated/AuthorProperties.swift\n")
        #expect(try text("Own/Author.swift") == edited)
        #expect(try text("Generated/AuthorProperties.swift").contains("var prize: String?"))
    }

    @Test func `are removed with their entity, except the editable files`() throws {
        _ = try run("generate")
        try write(Array(Library.entities.filter { $0.name != "Novel" }))
        let own = classes.appending(path: "Generated/Mine.swift")
        try Data("// mine\n".utf8).write(to: own)

        let result = try run("generate")

        #expect(result.text.contains("removed Generated/NovelProperties.swift"))
        #expect(names.contains("Novel.swift") && names.contains("Generated/Mine.swift"))
    }

    @Test func `are compared with the model`() throws {
        _ = try run("generate")
        #expect(try run("check").exitCode == 0)
        let file = classes.appending(path: "Generated/BookProperties.swift")
        let wrong = try text("Generated/BookProperties.swift").replacing("Int32", with: "Int16")
        try Data(wrong.utf8).write(to: file)
        try FileManager.default.removeItem(at: classes.appending(path: "Chapter.swift"))

        let result = try run("check")

        #expect(result.exitCode == 1)
        #expect(
            result.text == """
                Generated/BookProperties.swift differs: it does not contain “@Managed var copies: Int32?”
                Chapter.swift is missing

                """)
        #expect(result.errorText.contains("Run “cairn model generate” with the same arguments."))
        #expect(try text("Generated/BookProperties.swift") == wrong)
    }

    @Test func `are written to one file by the program of the plug-in`() throws {
        let file = folder.file("Library.swift")

        let writer = try runClassWriter([model.path, file.path, "Author"])

        #expect(writer.end == .code(0), "\(writer.errorText)")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("class AuthorProperties: ManagedObject {"))
        #expect(!text.contains("class Author:"))
        #expect(text.contains("final class Novel: Book {"))
    }

    @Test func `are not written by the program of the plug-in for a file that is no model`() throws
    {
        let file = folder.file("Library.swift")
        let notes = folder.file("Notes.xcdatamodeld")
        try Data("no model".utf8).write(to: notes)

        let writer = try runClassWriter([notes.path, file.path])

        #expect(writer.end == .code(1))
        #expect(writer.errorText.hasPrefix("error: Notes.xcdatamodeld: "))
        #expect(writer.errorText.contains("is not a Core Data model of any known form"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(try runClassWriter([model.path]).end == .code(2))
    }

    private func runClassWriter(
        _ arguments: [String]
    ) throws -> (end: ChildProcess.End, errorText: String) {
        let program = ToolRun.executable.deletingLastPathComponent()
            .appending(path: "CairnClassWriter")
        let process = try ChildProcess(program.path, arguments, errorOutput: .kept)
        _ = try process.output()
        return (try process.end(), process.errorText)
    }
}
