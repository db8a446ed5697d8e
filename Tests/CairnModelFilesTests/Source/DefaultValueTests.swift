import CairnModel
import CairnModelFiles
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Default values of a source model` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func attribute(_ type: String, _ more: String) throws -> AttributeDescription {
        let text = """
            <model><entity name="Thing"><attribute name="a" attributeType="\(type)" \(more)/></entity></model>
            """
        let file = folder.file(UUID().uuidString)
        try Data(text.utf8).write(to: file)
        let description = try ModelReader.description(at: file)
        guard case .attribute(let attribute)? = description.entities.first?.properties.first else {
            throw ModelError.notFound("a", searched: [])
        }
        return attribute
    }

    @Test(
        arguments: [
            ("Integer 16", "NO", 0), ("Integer 32", "YES", 1), ("Integer 64", "true", 1),
            ("Integer 16", " 7 ", 7), ("Integer 32", "+2.9", 2), ("Integer 16", "65535", -1),
            ("Integer 64", "1e3", 1000), ("Boolean", "YES", true), ("Boolean", "no", false),
            ("Boolean", "0.0", false), ("Boolean", "2", true), ("Double", "NO", 0.0),
            ("Double", "YES", 1.0), ("Double", "-2.5", -2.5), ("Float", "YES", .float(1)),
            ("Float", "0.1", .float(0.1)), ("Double", "1e39", 1e39),
            ("Double", "inf", .double(.infinity)),
            ("Boolean", "0.5", true), ("Decimal", "YES", .decimal(1)),
            ("Decimal", "-1.5e2", .decimal(-150)), ("String", "NO", "NO"), ("String", "", ""),
            ("Date", "2001-01-01 00:00:10 +0000", .date(Date(timeIntervalSinceReferenceDate: 10))),
            ("Date", "2001-01-01 00:01", .date(Date(timeIntervalSinceReferenceDate: 60))),
            (
                "Date", "2001-01-01T01:00:10+01:00",
                .date(Date(timeIntervalSinceReferenceDate: 10))
            ),
        ] as [(String, String, Value)])
    func `are read in every form that the model editor leaves`(
        _ type: String, _ text: String, _ value: Value
    ) throws {
        let attribute = try attribute(type, "defaultValueString=\"\(text)\"")

        #expect(attribute.defaultValue == value)
        #expect(attribute.unreadableValues.isEmpty)
    }

    @Test(
        arguments: [
            ("Integer 16", "soon"), ("Integer 64", "99999999999999999999"), ("Boolean", "maybe"),
            ("Double", "1,5"), ("Decimal", "12 pieces"), ("Decimal", "inf"), ("Date", "today"),
            ("Double", "1e400"), ("Float", "-1e39"), ("Boolean", "nan"), ("Boolean", "inf"),
            ("Integer 16", "1e400"), ("UUID", "17"), ("Binary", "AQID"), ("Transformable", "NO"),
        ])
    func `are kept as text and named by the linter if they are not values of the type`(
        _ type: String, _ text: String
    ) throws {
        let attribute = try attribute(type, "defaultValueString=\"\(text)\"")
        let model = try ManagedObjectModel([EntityDescription("Thing", [.attribute(attribute)])])

        let warnings = ModelLinter(model).warnings().filter { $0.kind == .unreadableValue }

        #expect(attribute.defaultValue == .null)
        #expect(attribute.unreadableValues == ["defaultValueString": text])
        #expect(warnings.map(\.property) == ["a"])
        #expect(warnings.first?.detail.contains(text) == true)
    }

    @Test func `are no mistake if the text is empty, or if there are seconds`() throws {
        let empty = try attribute("Integer 16", "defaultValueString=\"\"")
        let seconds = try attribute(
            "Date", "defaultValueString=\"tomorrow\" defaultDateTimeInterval=\"5\"")

        #expect(empty.unreadableValues.isEmpty)
        #expect(seconds.unreadableValues.isEmpty)
        #expect(seconds.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 5)))
    }

    @Test func `and bounds are named if only the seconds are wrong`() throws {
        let date = try attribute(
            "Date", "defaultDateTimeInterval=\"soon\" maxDateTimeInterval=\"inf\"")

        #expect(
            date.unreadableValues == [
                "defaultDateTimeInterval": "soon", "maxDateTimeInterval": "inf",
            ])
    }

    @Test(arguments: [("5", 5), (" 5.0 ", 5), ("1e1", 10)])
    func `and bounds of a text's length are read in the same forms`(
        _ text: String, _ length: Int
    ) throws {
        let attribute = try attribute("String", "minValueString=\"\(text)\"")

        #expect(attribute.validationRules == [.minimumLength(length)])
        #expect(attribute.unreadableValues.isEmpty)
    }

    @Test func `and bounds that cannot be read survive every form of model file`() throws {
        let number = try attribute("Integer 16", "defaultValueString=\"x\" minValueString=\"few\"")
        let text = try attribute("String", "maxValueString=\"long\"")
        let names = [number, text].map(\.unreadableValues)
        let model = VersionedModel(
            versions: [
                "V1": try ManagedObjectModel([EntityDescription("Thing", [.attribute(number)])])
            ], currentName: "V1")

        for form in ModelForm.allCases {
            let copy = folder.file("copy.\(form.rawValue)")
            try ModelCreator.create(model, as: form, at: copy)
            let read = try VersionedModel(contentsOf: copy)
            #expect(
                read.versions.values.first?.description.entities
                    == model.versions["V1"]?.description.entities)
        }

        #expect(
            names == [
                ["defaultValueString": "x", "minValueString": "few"], ["maxValueString": "long"],
            ])
    }
}
