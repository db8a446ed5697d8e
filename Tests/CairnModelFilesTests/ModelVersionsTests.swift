import CairnModel
import CairnModelFiles
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Opening models` {
    private let folder: TemporaryFolder
    private let model = ModelDescription([EntityDescription("Book", [.attribute("title", .string)])]
    )

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `throws an error that lists the versions if several exist and none is named`() throws
    {
        let bundle = folder.file("Library.xcdatamodeld")
        try ModelWriter.writeSource(["A 1": model, "B": model], current: "B", to: bundle)
        try FileManager.default.removeItem(at: bundle.appending(path: ".xccurrentversion"))

        let versions = try ModelVersions(contentsOf: bundle)

        #expect(versions.currentName == nil)
        #expect(try versions.model(named: "A 1").entities.count == 1)
        let error = #expect(throws: ModelError.self) { try ManagedObjectModel(contentsOf: bundle) }
        #expect(error?.description.contains("“A 1”, “B”") == true)
    }

    @Test func `uses a single version as the current one, whatever its name`() throws {
        let bundle = folder.file("Library.xcdatamodeld")
        try ModelWriter.writeSource(["Old": model], current: "Old", to: bundle)
        try FileManager.default.moveItem(
            at: bundle.appending(path: "Old.xcdatamodel"),
            to: bundle.appending(path: "New.xcdatamodel"))

        #expect(try ModelVersions(contentsOf: bundle).currentName == "New")
        #expect(try ManagedObjectModel(contentsOf: bundle).entities.count == 1)
    }

    @Test func `throws an error for an unknown version that lists the locations of others`() throws
    {
        let bundle = folder.file("Library.momd")
        try ModelWriter.writeCompiled(
            ["A": ManagedObjectModel(model)], current: "A", to: bundle)
        let versions = try ModelVersions(contentsOf: bundle)

        #expect(
            throws: ModelError.notFound("B", searched: [bundle.appendingPathComponent("A.mom")])
        ) {
            try versions.model(named: "B")
        }
    }

    @Test func `throws an error for a missing file`() {
        let location = folder.file("Library.momd")

        #expect(
            throws: ModelError.notFound(
                "Library.momd", searched: [location.deletingLastPathComponent()])
        ) {
            try ManagedObjectModel(contentsOf: location)
        }
    }

    @Test(arguments: [
        "", "hello", "momv2$ and more", "bplist00", "<?xml version=\"1.0\"?><plist/>",
    ])
    func `refuses a file that is not a model`(_ content: String) throws {
        let file = folder.file("Library.mom")
        try Data(content.utf8).write(to: file)

        let error = #expect(throws: ModelError.self) { try ManagedObjectModel(contentsOf: file) }

        switch error {
        case .unreadable(let location, _, _)?, .unsupportedForm(let location, _, _)?:
            #expect(location == file)
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test func `refuses an empty folder`() throws {
        let location = folder.file("Library.xcdatamodel")
        try FileManager.default.createDirectory(at: location, withIntermediateDirectories: true)

        let error = #expect(throws: ModelError.self) {
            try ManagedObjectModel(contentsOf: location)
        }

        guard case .unreadable? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        ("<!DOCTYPE model [<!ENTITY a 'b'>]>\n<model/>", "DOCTYPE"),
        ("<model>\n<entity/></model>", "does not have the attribute “name”"),
        (
            "<model><entity name='A'>\n<attribute name='x' attributeType='Integer 12'/>"
                + "</entity></model>", "“Integer 12”"
        ),
        ("<model>\n<entity name='A'></model>", "not well-formed"),
        ("<model>\n&unknown;</model>", "not well-formed"),
        ("<database>\n</database>", "<database>"),
        (String(repeating: "<model>", count: 100), "more than 64 levels deep"),
    ]) func `refuses a damaged source model, and names the line`(text: String, reason: String)
        throws
    {
        let file = folder.file("contents")
        try Data(("<?xml version=\"1.0\"?>" + text).utf8).write(to: file)

        let error = #expect(throws: ModelError.self) { try ManagedObjectModel(contentsOf: file) }

        #expect(error?.description.contains(reason) == true)
        #expect(error?.description.contains("at line") == true)
    }

    @Test(arguments: [
        ("<entity name='A'/><entity name='A'/>", ModelProblem.Kind.duplicateEntity),
        ("<entity name='A'><relationship name='r'/></entity>", .unknownDestination),
        (
            "<entity name='A'><relationship name='r' destinationEntity='A' inverseName='s'/>"
                + "</entity>", .unknownInverse
        ),
        ("<entity name='A' parentEntity='A'/>", .inheritanceCycle),
    ]) func `refuses a source model that contradicts itself`(
        content: String, kind: ModelProblem.Kind
    ) throws {
        let file = folder.file("contents")
        try Data("<model>\(content)</model>".utf8).write(to: file)

        let error = #expect(throws: ModelError.self) { try ManagedObjectModel(contentsOf: file) }

        guard case .invalid(let problems)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.map(\.kind) == [kind])
    }

    @Test func `ignores unknown and irrelevant parts`() throws {
        let file = folder.file("contents")
        let text = """
            <model future='YES'><entity name='A &amp; &lt;B&gt; &#38;#38; &quot;' new='1'>
            <attribute name='n' attributeType='Integer 16' defaultValueString='0.0' minValueString='low'/>
            <attribute name='d' attributeType='Date' defaultValueString='someday'/>
            <attribute name='b' attributeType='Boolean' defaultValueString='maybe'/>
            <relationship name='r' toMany='YES' destinationEntity='A &amp; &lt;B&gt; &#38;#38; &quot;'/>
            <future><deep/></future></entity>
            <fetchRequest name='f' entity='A &amp; &lt;B&gt; &#38;#38; &quot;' predicateString='a =='/>
            </model>
            """
        try Data(text.utf8).write(to: file)

        let model = try ManagedObjectModel(contentsOf: file)

        let entity = try #require(model.entity(named: "A & <B> &#38; \""))
        #expect(entity.attribute(named: "n")?.description.defaultValue == 0)
        #expect(entity.attribute(named: "n")?.description.validationRules == [])
        #expect(entity.attribute(named: "d")?.description.defaultValue == .null)
        #expect(entity.relationship(named: "r")?.inverse == nil)
        guard case .unreadable("a ==", _)? = model.description.fetchRequestTemplates["f"]?.condition
        else {
            Issue.record("the predicate should have been kept as text")
            return
        }
    }
}
