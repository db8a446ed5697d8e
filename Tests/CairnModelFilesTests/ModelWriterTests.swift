import CairnModel
import CairnModelFiles
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Writing models` {
    @Test(.enabled(if: Corpus.isThere)) func `preserves every source model`() throws {
        let folder = try TemporaryFolder()
        for (number, source) in Corpus.sources.enumerated() {
            let original = try ModelReader.description(at: source)
            let file = folder.file("contents\(number)")

            let text = SourceModelWriter.contents(of: original)
            try Data(text.utf8).write(to: file)

            #expect(try ModelReader.description(at: file) == original, "\(source.path)")
        }
    }

    @Test func `writes bundles that open at their current version`() throws {
        let folder = try TemporaryFolder()
        let first = ModelDescription([EntityDescription("Book", [.attribute("title", .string)])])
        var second = first
        second.entities[0].properties.append(.attribute("notes & <marks>", .string))
        second.entities[0].userInfo = ["a \"key\"": "two\nlines\tand a tab"]
        let sources = folder.file("Library.xcdatamodeld")
        let compiled = folder.file("Library.momd")

        try ModelWriter.writeSource(
            ["Library": first, "Library 2": second], current: "Library 2", to: sources)
        try ModelWriter.writeCompiled(
            ["Library": ManagedObjectModel(first), "Library 2": ManagedObjectModel(second)],
            current: "Library 2", to: compiled)

        let expected = try ManagedObjectModel(second).description.entities
        #expect(try ManagedObjectModel(contentsOf: sources).description.entities == expected)
        #expect(try ManagedObjectModel(contentsOf: compiled).description.entities == expected)
        #expect(try ModelVersions(contentsOf: compiled).names == ["Library", "Library 2"])
    }

    @Test func `refuses a current version that does not exist`() throws {
        let folder = try TemporaryFolder()
        let location = folder.file("Library.xcdatamodeld")

        #expect(throws: ModelError.notFound("Other", searched: [location])) {
            try ModelWriter.writeSource(
                ["Library": ModelDescription()], current: "Other", to: location)
        }
    }

    @Test func `replaces the target of a link, and keeps its permissions`() throws {
        let folder = try TemporaryFolder()
        let location = folder.file("Library.momd")
        let model = try ManagedObjectModel([EntityDescription("Book")])
        try ModelWriter.writeCompiled(["Library": model], current: "Library", to: location)
        let (file, elsewhere) = (location.appending(path: "Library.mom"), folder.file("elsewhere"))
        try FileManager.default.moveItem(at: file, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere)
        try Data().write(to: elsewhere)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: elsewhere.path)

        try ModelWriter.writeCompiled(["Library": model], current: "Library", to: location)

        let attributes = try FileManager.default.attributesOfItem(atPath: elsewhere.path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try !Data(contentsOf: elsewhere).isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: location.path).sorted()
        #expect(names == ["Library.mom", "VersionInfo.plist"])
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == elsewhere.path)
    }
}
