import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Tests `cairn model …` with a model that has two versions.
@Suite struct `Model commands` {
    private let folder: TemporaryFolder
    private let source: URL

    init() throws {
        folder = try TemporaryFolder()
        source = folder.file("Library.xcdatamodeld")
        let first = EntityDescription("Book", [.attribute("title", .string)])
        var name = AttributeDescription("name", .string)
        name.renamingIdentifier = "title"
        let second = EntityDescription("Book", [.attribute("isbn", .string), .attribute(name)])
        let model = VersionedModel(
            versions: [
                "Library": try ManagedObjectModel([first]),
                "Library 2": try ManagedObjectModel([second]),
            ], currentName: "Library 2")
        try ModelCreator.create(model, as: .xcdatamodeld, at: source)
    }

    /// Creates a store with a version of the model.
    private func store(_ version: String, _ type: String = "SQLite") throws -> URL {
        let store = folder.file("\(version).\(type)")
        let run = try ToolRun([
            "store", "new", store.path, "--model", source.path, "--version", version, "--type",
            type,
        ])
        #expect(run.exitCode == 0, "\(run.errorText)")
        return store
    }

    @Test func `diff lists the changes, and says that they can be inferred`() throws {
        let run = try ToolRun([
            "model", "diff", source.path, source.path, "--from", "Library",
        ])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(
            run.text.contains(
                "Book: attribute isbn was added; attribute title was renamed to name"))
        #expect(run.text.contains("A migration is needed and can be inferred."))
    }

    @Test func `diff lists changes that cannot be inferred, with reasons`() throws {
        let strict = folder.file("Strict.mom")
        let book = EntityDescription(
            "Book",
            [
                .attribute("isbn", .integer64, isOptional: false), .attribute("name", .string),
            ])
        try ModelCreator.create(
            VersionedModel(versions: ["Strict": ManagedObjectModel([book])], currentName: "Strict"),
            as: .mom, at: strict)

        let run = try ToolRun(["model", "diff", source.path, strict.path])
        let equal = try ToolRun(["model", "diff", strict.path, strict.path])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text.contains("Cannot be inferred:\n    Book.isbn: its type changed"))
        #expect(
            run.text.contains(
                "Must be true for the stored objects:\n    Book.isbn: it is now required"))
        #expect(equal.text == "The models are equal.\n")
    }

    @Test func `diff, lint and plan refuse exchanged names without a hash modifier`() throws {
        func model(_ modifier: String?) throws -> URL {
            let attributes = [("a", "b"), ("b", "a")].map { name, former in
                var attribute = AttributeDescription(name, .string)
                attribute.renamingIdentifier = former
                attribute.versionHashModifier = modifier
                return attribute
            }
            let first = EntityDescription(
                "X", [.attribute("a", .string), .attribute("b", .string)])
            let second = EntityDescription("X", attributes.map { .attribute($0) })
            let versions = ["S": [first], "S 2": [second]]
            let url = folder.file("S\(modifier ?? "").xcdatamodeld")
            try ModelCreator.create(
                VersionedModel(
                    versions: versions.mapValues { try ManagedObjectModel($0) }, currentName: "S 2"),
                as: .xcdatamodeld, at: url)
            return url
        }
        let (unnoticed, modified) = (try model(nil), try model("2"))
        let store = folder.file("s.sqlite")
        _ = try ToolRun([
            "store", "new", store.path, "--model", unnoticed.path, "--version", "S", "--type",
            "SQLite",
        ])

        func texts(_ model: URL) throws -> [String] {
            let runs = try [
                ToolRun(["model", "diff", model.path, model.path, "--from", "S"]),
                ToolRun(["model", "lint", model.path]),
                ToolRun(["store", "migrate", store.path, "--to", model.path, "--plan"]),
            ]
            return runs.map { $0.text + $0.errorText }
        }
        let (refusals, plans) = (try texts(unnoticed), try texts(modified))

        for text in refusals { #expect(text.contains("hash modifier (versionHashModifier)")) }
        #expect(!refusals[0].contains("No migration is needed"))
        #expect(refusals[2].contains("was not migrated and is unchanged: X.a: it continues “b”"))
        #expect(plans[0].contains("A migration is needed and can be inferred."))
        #expect(plans[1] == "")
        #expect(plans[2].contains("attribute a was renamed to b"))
    }

    @Test func `diff accepts the model inside a store`() throws {
        let store = try store("Library")

        let run = try ToolRun(["model", "diff", store.path, source.path])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text.contains("attribute title was renamed to name"))
    }

    @Test func `compile, convert back and list versions`() throws {
        let compiled = folder.file("Library.momd")
        let back = folder.file("Back.xcdatamodeld")

        let runs = try [
            ToolRun(["model", "compile", source.path, compiled.path]),
            ToolRun(["model", "convert", compiled.path, back.path]),
            ToolRun(["model", "versions", back.path]),
        ]

        for run in runs { #expect(run.exitCode == 0, "\(run.errorText)") }
        #expect(runs[0].text == "wrote 2 versions to \(compiled.path)\n")
        #expect(runs[2].text.contains("Library 2 | current"))
        for name in ["Library", "Library 2"] {
            let diff = try ToolRun([
                "model", "diff", source.path, back.path, "--from", name, "--to", name,
            ])
            #expect(diff.text == "The models are equal.\n")
        }
    }

    @Test func `refuse a destination that exists or names no form`() throws {
        let file = folder.file("Library.mom")
        try Data("a letter".utf8).write(to: file)

        let there = try ToolRun(["model", "compile", source.path, file.path])
        let formless = try ToolRun(["model", "convert", source.path, folder.file("x.zip").path])
        let source = try ToolRun([
            "model", "compile", source.path, folder.file("x.xcdatamodel").path,
        ])

        #expect(there.exitCode == 1)
        #expect(there.errorText.contains("already exists"))
        #expect(try Data(contentsOf: file) == Data("a letter".utf8))
        #expect(formless.exitCode == 2)
        #expect(source.exitCode == 2)
    }

    @Test func `find the version of a store`() throws {
        let store = try store("Library")

        let run = try ToolRun(["model", "versions", source.path, "--store", store.path])
        let info = try ToolRun(["store", "info", store.path, "--model", source.path])

        #expect(run.exitCode == 0, "\(run.errorText)")
        let lines = run.text.split(separator: "\n")
        #expect(lines.filter { $0.contains("fits") }.count == 1)
        #expect(lines.contains { $0.contains("Library  ") && $0.contains("fits") })
        #expect(info.exitCode == 0, "\(info.errorText)")
    }

    @Test func `say that a store is newer than every version`() throws {
        let store = try store("Library 2")
        let old = folder.file("Old.xcdatamodeld")
        let model = try VersionedModel(contentsOf: source)
        let first = try #require(model.versions["Library"])
        try ModelCreator.create(
            VersionedModel(versions: ["A": first, "B": first], currentName: "B"),
            as: .xcdatamodeld, at: old)

        let versions = try ToolRun(["model", "versions", old.path, "--store", store.path])
        let info = try ToolRun(["store", "info", store.path, "--model", old.path])

        #expect(versions.exitCode == 1)
        #expect(versions.errorText.contains("matches none of these versions"))
        #expect(info.exitCode == 1)
        #expect(
            info.errorText.contains("Changes from “B” to the store: Book: attribute isbn was added")
        )
        #expect(info.errorText.contains("leave out --model"))
    }

    @Test func `warn, and fail when told to`() throws {
        let run = try ToolRun(["model", "lint", source.path])
        let bad = folder.file("Bad.mom")
        try ModelCreator.create(
            VersionedModel(
                versions: ["Bad": ManagedObjectModel([EntityDescription("bad")])],
                currentName: "Bad"), as: .mom, at: bad)
        let warned = try ToolRun(["model", "lint", bad.path])
        let strict = try ToolRun(["model", "lint", bad.path, "--strict"])

        #expect(run.exitCode == 0 && run.text.isEmpty)
        #expect(warned.exitCode == 0 && warned.text.contains("warning: bad: it has no properties"))
        #expect(strict.exitCode == 1)
    }

    @Test func `draw a diagram in both forms`() throws {
        let svg = try ToolRun(["model", "diagram", source.path])
        let dark = try ToolRun(["model", "diagram", source.path, "--theme", "dark"])
        let dot = try ToolRun(["model", "diagram", source.path, "--format", "dot"])

        #expect(svg.text.hasPrefix("<svg") && svg.text.contains("prefers-color-scheme"))
        #expect(dark.text.hasPrefix("<svg") && !dark.text.contains("prefers-color-scheme"))
        #expect(dot.text.hasPrefix("digraph"))
    }

    @Test func `draw one entity, and suggest a name for an unknown one`() throws {
        let one = try ToolRun(["model", "diagram", source.path, "--entity", "Book"])
        let none = try ToolRun(["model", "diagram", source.path, "--entity", "Bok"])

        #expect(one.text.contains(">Book</text>"))
        #expect(none.exitCode == 1)
        #expect(none.errorText.contains("Did you mean “Book”?"), "\(none.errorText)")
    }

    @Test func `show the switches of a fetch request, as JSON and as text`() throws {
        var template = FetchRequestTemplate(entity: "Book")
        template.fetchBatchSize = 20
        template.includesSubentities = false
        template.returnsObjectsAsFaults = false
        template.returnsDistinctResults = true
        var description = ModelDescription([
            EntityDescription("Book", [.attribute("title", .string)])
        ])
        description.fetchRequestTemplates = ["all": template]
        let file = folder.file("Requests.mom")
        try ModelCreator.create(
            VersionedModel(versions: ["R": ManagedObjectModel(description)], currentName: "R"),
            as: .mom, at: file)

        let json = try ToolRun(["model", "info", file.path, "--json"])
        let text = try ToolRun(["model", "info", file.path])

        let report = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any]
        let requests = report?["fetchRequests"] as? [String: [String: Any]]
        let all = try #require(requests?["all"])
        #expect(all["batchSize"] as? Int == 20)
        let switches = [
            "includesSubentities", "includesPropertyValues", "includesPendingChanges",
            "returnsObjectsAsFaults", "returnsDistinctResults",
        ]
        #expect(switches.map { all[$0] as? Bool } == [false, true, true, false, true])
        #expect(
            text.text.contains("in batches of 20 · without subentities · not as faults · distinct"),
            "\(text.text)")
    }

    @Test func `refuse an unknown version, and list the others`() throws {
        let run = try ToolRun(["model", "info", source.path, "--version", "Library 3"])

        #expect(run.exitCode == 1)
        #expect(run.errorText.contains("Its versions are “Library”, “Library 2”"))
    }
}

/// Tests `cairn store new`.
@Suite struct `New command` {
    @Test(arguments: everyFileEngine.map(\.rawValue))
    func `creates an empty store that opens with its model`(_ type: String) throws {
        let folder = try TemporaryFolder()
        let (model, store) = (folder.file("Library.mom"), folder.file("Library.store"))
        let book = EntityDescription("Book", [.attribute("title", .string)])
        try ModelCreator.create(
            VersionedModel(
                versions: ["Library": ManagedObjectModel([book])], currentName: "Library"),
            as: .mom, at: model)
        let arguments = ["store", "new", store.path, "--model", model.path, "--type", type]

        let made = try ToolRun(arguments)
        let verified = try ToolRun(["store", "verify", store.path])
        let equal = try ToolRun(["model", "diff", model.path, store.path])
        let again = try ToolRun(arguments)

        #expect(made.exitCode == 0, "\(made.errorText)")
        #expect(verified.exitCode == 0, "\(verified.errorText)")
        #expect(equal.text == "The models are equal.\n", "\(equal.errorText)")
        #expect(again.exitCode == 1)
        #expect(again.errorText.contains("already exists"))
    }

    @Test(arguments: ["InMemory", "Papyrus"])
    func `refuses a type without files, and leaves nothing`(_ type: String) throws {
        let folder = try TemporaryFolder()
        let model = folder.file("Empty.mom")
        try ModelCreator.create(
            VersionedModel(versions: ["Empty": ManagedObjectModel([])], currentName: "Empty"),
            as: .mom, at: model)

        let run = try ToolRun([
            "store", "new", folder.file("store").path, "--model", model.path, "--type", type,
        ])

        #expect(run.exitCode == 1)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["Empty.mom"])
    }
}
