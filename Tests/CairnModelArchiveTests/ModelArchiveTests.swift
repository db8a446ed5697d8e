import CairnModel
import Foundation
import Testing

@testable import CairnModelArchive

@Suite struct `Model archive` {
    @Test func `keeps defaults of every type`() throws {
        let defaults: [(AttributeType, Value)] = [
            (.integer16, -3), (.integer64, .integer(.min)), (.boolean, true), (.double, 2.5),
            (.float, .float(0.1)), (.string, "“quoted”"), (.binary, .binary(Data([0, 255]))),
            (.date, .date(Date(timeIntervalSinceReferenceDate: 12.25))),
            (.uuid, .uuid(UUID())),
            (.uri, .uri(try #require(URL(string: "https://example.org/a?b=c")))),
            (.decimal, .decimal(try #require(Decimal(string: "-123456789012345678.000000001")))),
            (.decimal, .decimal(0)), (.transformable, .transformable(Data([1, 2, 3]))),
        ]
        var entity = EntityDescription("Sample")
        for (index, (type, value)) in defaults.enumerated() {
            var attribute = AttributeDescription("a\(index)", type)
            attribute.defaultValue = value
            entity.properties.append(.attribute(attribute))
        }

        try expectKept(ModelDescription([entity]))
    }

    @Test func `keeps a default of the app's own class as an archive`() throws {
        var builder = KeyedArchiveBuilder()
        let text = builder.add(plain: .string("cover"))
        let cover = builder.add("App.Cover", [("text", .reference(text))])
        // Extraction renumbers objects, so the expected value is extracted once, too.
        let archive = try KeyedArchiveExtractor.archive(
            of: KeyedArchive(builder.finish(root: cover)).root())
        var attribute = AttributeDescription("cover", .transformable)
        attribute.defaultValue = .transformable(Data(archive))

        try expectKept(ModelDescription([EntityDescription("Book", [.attribute(attribute)])]))
    }

    @Test func `keeps validation`() throws {
        let name = PropertyDescription.attribute(
            "name", .string, isOptional: false,
            validationRules: [
                .minimumLength(1), .maximumLength(64), .matches(regularExpression: "[a-z]+"),
                .predicate(try FetchPredicate(format: "SELF != 'x'"), warning: "not x"),
            ])
        let number = PropertyDescription.attribute(
            "number", .float, isOptional: true,
            validationRules: [.minimum(.float(-2.5)), .maximum(.float(0.1))])
        let date = PropertyDescription.attribute(
            "date", .date, isOptional: true,
            validationRules: [
                .minimum(.date(Date(timeIntervalSinceReferenceDate: 0))),
                .maximum(.date(Date(timeIntervalSinceReferenceDate: 1.5))),
            ])

        try expectKept(ModelDescription([EntityDescription("Thing", [name, number, date])]))
    }

    @Test(arguments: [
        "name BEGINSWITH[cd] 'a' AND (age >= 3 OR NOT tags.@count == 0)",
        "ANY tags.name IN {'a', 'b'}", "NONE tags.name LIKE '*x?'", "ALL tags.name ENDSWITH 'x'",
        "age BETWEEN {1, $LIMIT}", "SUBQUERY(tags, $t, $t.name == $NAME).@count > 2",
        "lowercase:(name) MATCHES '[a-z]+'", "SELF IN $OBJECTS", "TRUEPREDICATE",
        "owner.name CONTAINS[n] $FETCH_SOURCE.name", "age + 1 != 2 * age",
    ]) func `keeps predicates`(_ format: String) throws {
        var template = FetchRequestTemplate(
            entity: "Thing", condition: .predicate(try FetchPredicate(format: format)))
        template.sortDescriptors = [.init("name", isAscending: false)]
        template.resultType = .dictionaries
        template.includesPendingChanges = false
        template.fetchLimit = 7
        var description = ModelDescription([EntityDescription("Thing")])
        description.fetchRequestTemplates = ["template": template]

        try expectKept(description)
    }

    @Test func `keeps a predicate that could not be read as its text`() throws {
        var description = ModelDescription([EntityDescription("Thing")])
        description.fetchRequestTemplates = [
            "odd": FetchRequestTemplate(
                entity: "Thing", condition: .unreadable(text: "a ==", reason: "it ends"))
        ]

        try expectKept(description)
    }

    @Test func `treats an endlessly nested predicate as unreadable, but loads the model`() throws {
        var builder = KeyedArchiveBuilder()
        let predicate = builder.reserve()
        let parts = builder.add(list: [predicate])
        builder.fill(
            predicate, "NSCompoundPredicate",
            [("NSCompoundPredicateType", .integer(1)), ("NSSubpredicates", .reference(parts))])
        let archive = try KeyedArchive(builder.finish(root: predicate))

        let read = PredicateDecoder.predicate(try archive.root())

        #expect(read.condition == .unreadable(text: "", reason: "the predicate is too large"))
    }

    @Test func `keeps derivations, composites and indexes`() throws {
        func derived(_ name: String, _ expression: String) -> PropertyDescription {
            var attribute = AttributeDescription(name, .integer64)
            attribute.derivation = Derivation(expression: expression)
            return .attribute(attribute)
        }
        var place = AttributeDescription("place", .composite)
        place.compositeName = "Place"
        var inner = AttributeDescription("exact", .composite)
        inner.compositeName = "Exact"
        var entity = EntityDescription(
            "Thing",
            [
                .attribute(place), .attribute("x", .double), derived("count", "tags.@count"),
                derived("sum", "tags.@sum.x"), derived("now", "now()"),
                derived("folded", "canonical:(name)"), derived("odd", ""),
                derived("spaced", "canonical:( name )"), .attribute("name", .string),
                .toMany("tags", "Thing"),
            ])
        entity.fetchIndexes = [
            FetchIndexDescription(
                "place", elements: [.init(.property("x"), type: .rTree, isAscending: false)],
                partialPredicate: try FetchPredicate(format: "x > 2.5")),
            FetchIndexDescription("self", elements: [.init(.expression("SELF"))]),
        ]
        var description = ModelDescription([entity])
        description.composites = [
            CompositeDescription("Place", [AttributeDescription("lat", .double), inner]),
            CompositeDescription("Exact", [AttributeDescription("x", .decimal)]),
        ]

        try expectKept(description)
    }

    @Test func `writes the elements of a composite as Core Data does`() throws {
        var place = AttributeDescription("place", .composite)
        place.compositeName = "Place"
        var description = ModelDescription([EntityDescription("Thing", [.attribute(place)])])
        description.composites = [
            CompositeDescription("Place", [AttributeDescription("lat", .double)])
        ]

        let archive = try KeyedArchive(ModelArchive.encode(ManagedObjectModel(description))).root()

        let entity = try archive.object?.object("NSEntities")?.entries().first?.value.object
        let attribute = try #require(try entity?.entries("NSProperties").first?.value.object)
        let list = try #require(try attribute.object("NSCompositeElements"))
        let element = try #require(try list.elements().first?.object)
        #expect(attribute.className == "NSCompositeAttributeDescription")
        #expect(try attribute.string("NSAttributeValueClassName") == "NSDictionary")
        #expect(list.className == "NSMutableArray")
        #expect(try element.string("NSPropertyName") == "lat")
        #expect(element.fields["NSEntity"] == nil)
    }

    @Test func `keeps switches and names of every kind`() throws {
        var attribute = AttributeDescription("a", .binary)
        attribute.allowsExternalBinaryDataStorage = true
        attribute.preservesValueInHistoryOnDeletion = true
        attribute.isIndexed = true
        attribute.isIndexedBySpotlight = true
        attribute.allowsCloudEncryption = true
        attribute.isSyncable = false
        attribute.usesScalarValueType = true
        attribute.versionHashModifier = "2"
        attribute.renamingIdentifier = "old"
        attribute.valueClassName = "UIImage"
        attribute.valueTransformerName = "ImageTransformer"
        attribute.userInfo = ["key": "value"]
        var relationship = RelationshipDescription.toMany(
            "others", "Child", inverse: "others", isOrdered: true, deleteRule: .deny)
        relationship.minimumCount = 2
        relationship.maximumCount = 9
        var parent = EntityDescription("Parent", isAbstract: true, [.attribute(attribute)])
        parent.uniquenessConstraints = [["a"]]
        parent.managedObjectClassName = ".Parent"
        let child = EntityDescription("Child", superentity: "Parent", [.relationship(relationship)])
        var description = ModelDescription([parent, child])
        description.configurations = ["Cloud": ["Child"], "Empty": []]
        description.versionIdentifiers = ["1", ""]

        try expectKept(description)
    }

    @Test func `describes the bytes if they are not a model`() throws {
        var builder = KeyedArchiveBuilder()
        let list = builder.add(list: [])
        let bytes = builder.finish(root: list)

        #expect(
            throws: ModelArchiveError.unexpectedRoot("the archive contains a NSArray, not a model")
        ) {
            try ModelArchive.decode(bytes)
        }
    }

    private func expectKept(_ description: ModelDescription) throws {
        let model = try ManagedObjectModel(description)

        let archived = try ManagedObjectModel(ModelArchive.decode(ModelArchive.encode(model)))
        let cached = try ManagedObjectModel(ModelCache.decode(ModelCache.encode(model)))

        #expect(archived.description == model.description)
        #expect(cached.description == model.description)
    }
}

@Suite struct `Hostile archive` {
    @Test func `is refused before a shared user info fills the memory`() throws {
        var values = ArchiveValueEncoder()
        let userInfo = values.number(
            ofUserInfo: Dictionary(uniqueKeysWithValues: (0..<2000).map { ("key\($0)", "value") }))
        var properties: [(key: Int, value: Int)] = []
        for index in 0..<2000 {
            let name = values.number(of: "p\(index)")
            let property = values.builder.add(
                "NSAttributeDescription",
                [
                    ("NSPropertyName", .reference(name)), ("NSAttributeType", .integer(700)),
                    ("NSUserInfo", .reference(userInfo)),
                ])
            properties.append((name, property))
        }
        let bytes = Self.model(properties: properties, in: &values)

        #expect(throws: ModelArchiveError.self) { try ModelArchive.decode(bytes) }
    }

    @Test func `is refused if a reference is dangling`() throws {
        var values = ArchiveValueEncoder()
        let bytes = Self.model(properties: [(values.number(of: "p"), 9999)], in: &values)

        let error = #expect(throws: ModelArchiveError.self) { try ModelArchive.decode(bytes) }

        #expect(error?.description.contains("reference 9999") == true)
    }

    private static func model(
        properties: [(key: Int, value: Int)], in values: inout ArchiveValueEncoder
    ) -> [UInt8] {
        let name = values.number(of: "Thing")
        let list = values.builder.add(dictionary: properties)
        let entity = values.builder.add(
            "NSEntityDescription",
            [("NSEntityName", .reference(name)), ("NSProperties", .reference(list))])
        let entities = values.builder.add(dictionary: [(name, entity)])
        let model = values.builder.add(
            "NSManagedObjectModel", [("NSEntities", .reference(entities))])
        return values.builder.finish(root: model)
    }
}
