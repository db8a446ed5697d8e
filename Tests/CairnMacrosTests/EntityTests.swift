import CairnMacros
import CairnTestSupport
import Foundation
import Testing

enum Mood: String, CaseIterable, AttributeValue { case calm, angry }

struct Address: CodableAttribute, Equatable {
    var street = "", town = ""
    static var valueOfNil: Address { Address() }
}

@Entity final class Writer: ManagedObject {
    @Unique var name: String = ""
    @Index var born: Date?
    @Attribute(.range(0...120), originalName: "years") var age: Int = 30
    @Attribute(.length(1...20), .pattern("[a-z]+"), hashModifier: "2") var handle: String? = "ab"
    var mood: Mood = .calm
    var address: Address?
    var pseudonyms: [String] = []
    @Transient var note: String?
    @Derived("books.@count") var bookCount: Int
    @Attribute(.externalStorage) var portrait: Data?
    var mentor: Writer?
    @Relationship(inverse: \Writer.mentor) var pupils: Members<Writer>
    @Relationship(deleteRule: .cascade) var books: Members<Work>

    var shout: String { name.uppercased() }
}

@Entity(originalName: "Opus") class Work: ManagedObject {
    var title = ""
    var pages: Int32 = 0
    var writer: Writer?
    @Relationship(deleteRule: .cascade, inverse: \Part.work, counts: 0...9) var parts:
        OrderedMembers<Part>
}

@Entity final class Poem: Work {
    var metre: String?
}

@Entity final class Part: ManagedObject {
    #Unique<Part>([\.work, \.`case`], [\.number])
    #Index<Part>([\.number, \.`case`], [\.number])
    @Index var number: Int?
    var `case`: String?
    var work: Work?
}

@Entity final class Follower: ManagedObject {
    @Relationship(hasInverse: false) var leader: Leader?
}

@Entity final class Leader: ManagedObject {
    var first: Follower?
}

@Suite struct `Classes that are entities by macro` {
    private static let model = Result {
        try ManagedObjectModel(for: Writer.self, Work.self, Poem.self, Part.self)
    }

    private func handle() throws -> ContextHandle {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.model.get())
        try coordinator.addPersistentStore(ofType: .inMemory, at: nil)
        return ContextHandle(coordinator: coordinator)
    }

    @Test func `produce the model that Xcode's editor would produce`() throws {
        var unique = EntityDescription(
            "Writer",
            [
                .attribute("name", .string, isOptional: false, defaultValue: .string("")),
                .attribute("born", .date), .attribute(age), .attribute(handleAttribute),
                .attribute("mood", .string, isOptional: false),
                .attribute("address", .binary),
                .attribute("pseudonyms", .binary),
                .attribute(transient), .attribute(derived), .attribute(portrait),
                .toOne("mentor", "Writer", inverse: "pupils"),
                .toMany("pupils", "Writer", inverse: "mentor"),
                .toMany("books", "Work", inverse: "writer", deleteRule: .cascade),
            ])
        unique.uniquenessConstraints = [["name"]]
        unique.fetchIndexes = [FetchIndexDescription("byBorn", elements: [.init("born")])]
        var work = EntityDescription(
            "Work",
            [
                .attribute("title", .string, isOptional: false, defaultValue: .string("")),
                .attribute(pages),
                .toOne("writer", "Writer", inverse: "books"), .relationship(parts),
            ])
        work.renamingIdentifier = "Opus"
        var part = EntityDescription(
            "Part",
            [
                .attribute("number", .integer64), .attribute("case", .string),
                .toOne("work", "Work", inverse: "parts"),
            ])
        part.uniquenessConstraints = [["work", "case"], ["number"]]
        part.fetchIndexes = [
            FetchIndexDescription("byNumber", elements: [.init("number")]),
            FetchIndexDescription(
                "byNumberAndCase", elements: [.init("number"), .init("case")]),
        ]
        let entities = [
            unique, work,
            EntityDescription("Poem", superentity: "Work", [.attribute("metre", .string)]), part,
        ]
        let expected = try ManagedObjectModel(
            entities.map { entity in
                var entity = entity
                entity.managedObjectClassName = entity.name
                return entity
            })
        let model = try Self.model.get()

        #expect(ModelChanges(from: expected, to: model).lines == [])
        #expect(model.entityVersionHashes == expected.entityVersionHashes)
    }

    private var pages: AttributeDescription {
        var pages = AttributeDescription("pages", .integer32, isOptional: false, defaultValue: 0)
        pages.usesScalarValueType = true
        return pages
    }

    private var age: AttributeDescription {
        var age = AttributeDescription(
            "age", .integer64, isOptional: false, defaultValue: 30,
            validationRules: [.minimum(0), .maximum(120)])
        age.renamingIdentifier = "years"
        age.usesScalarValueType = true
        return age
    }

    private var handleAttribute: AttributeDescription {
        var handle = AttributeDescription(
            "handle", .string, isOptional: true, defaultValue: .string("ab"),
            validationRules: [
                .minimumLength(1), .maximumLength(20), .matches(regularExpression: "[a-z]+"),
            ])
        handle.versionHashModifier = "2"
        return handle
    }

    private var transient: AttributeDescription {
        var note = AttributeDescription("note", .string)
        note.isTransient = true
        return note
    }

    private var derived: AttributeDescription {
        var count = AttributeDescription("bookCount", .integer64, isOptional: false)
        count.usesScalarValueType = true
        count.derivation = Derivation(expression: "books.@count")
        return count
    }

    private var portrait: AttributeDescription {
        var portrait = AttributeDescription("portrait", .binary)
        portrait.allowsExternalBinaryDataStorage = true
        return portrait
    }

    private var parts: RelationshipDescription {
        var parts = RelationshipDescription.toMany(
            "parts", "Part", inverse: "work", isOrdered: true, deleteRule: .cascade)
        parts.maximumCount = 9
        return parts
    }

    @Test func `have their values, defaults and relationships`() throws {
        try handle().performAndWait { context in
            let writer = try Writer(
                context: context, name: "Eliot", address: Address(street: "a", town: "b"))
            let poem = try Poem(context: context)
            poem.title = "Brother and Sister"
            poem.metre = "iambic"
            poem.writer = writer
            let part = try Part(context: context, case: "first", work: poem)
            writer.pseudonyms.append("Marian")
            try context.save()
            try context.refreshAllObjects()

            #expect(writer.name == "Eliot" && writer.age == 30 && writer.handle == "ab")
            #expect(writer.mood == .calm && writer.address == Address(street: "a", town: "b"))
            #expect(writer.pseudonyms == ["Marian"] && writer.born == nil)
            #expect(writer.bookCount == 1)
            #expect(
                writer.books.contains(poem) && poem.parts.first === part && part.case == "first")
            let found = try context.fetch(
                Writer.self,
                where: #Predicate { $0.books.contains { $0.title == "Brother and Sister" } },
                sortedBy: [SortDescriptor(\.name)])
            #expect(found.map(\.shout) == ["ELIOT"])
            #expect(
                try context.count(
                    Poem.self, where: #Predicate { $0.metre == "iambic" && $0.pages == 0 }) == 1)
        }
    }

    @Test func `may have a relationship without an inverse`() throws {
        let model = try ManagedObjectModel(for: Follower.self, Leader.self)

        let inverses = model.entities.flatMap { $0.relationships.map { $0.inverse?.name } }

        #expect(inverses == [nil, nil])
    }

    @Test func `write the model file that Xcode's editor would`() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Writers.xcdatamodeld")
        try ModelCreator.create(
            VersionedModel(versions: ["Writers": try Self.model.get()], currentName: "Writers"),
            as: .xcdatamodeld, at: url)

        let read = try ManagedObjectModel(contentsOf: url)

        #expect(read.entityVersionHashes == (try Self.model.get()).entityVersionHashes)
    }

    @Test func `have the constraints of a model file`() throws {
        let folder = try TemporaryFolder()
        let source = folder.file("Xcode.xcdatamodel")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try Data(Self.partOfXcode.utf8).write(to: source.appending(path: "contents"))
        let file = try ManagedObjectModel(contentsOf: source)
        let model = try Self.model.get()

        let part = try #require(file.entity(named: "Part"))

        #expect(model.entity(named: "Part")?.versionHash == part.versionHash)
        #expect(model.entity(named: "Part")?.uniquenessConstraints == part.uniquenessConstraints)
    }

    /// The entity in the form that Xcode's editor writes.
    private static let partOfXcode = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Part" representedClassName="Part" syncable="YES">
                <attribute name="case" optional="YES" attributeType="String"/>
                <attribute name="number" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
                <relationship name="work" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Work" inverseName="parts" inverseEntity="Work"/>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="work"/>
                        <constraint value="case"/>
                    </uniquenessConstraint>
                    <uniquenessConstraint>
                        <constraint value="number"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <entity name="Work" representedClassName="Work" syncable="YES">
                <relationship name="parts" optional="YES" toMany="YES" maxCount="9" deletionRule="Cascade" ordered="YES" destinationEntity="Part" inverseName="work" inverseEntity="Part"/>
            </entity>
        </model>
        """

    @Test func `keep several properties unique together`() throws {
        try handle().performAndWait { context in
            let work = try Work(context: context, title: "Silas Marner")
            _ = try Part(context: context, number: 1, case: "one", work: work)
            _ = try Part(context: context, number: 2, case: "two", work: work)
            try context.save()
            _ = try Part(context: context, number: 3, case: "two", work: work)

            #expect(throws: GraphError.self) { try context.save() }
        }
    }
}
