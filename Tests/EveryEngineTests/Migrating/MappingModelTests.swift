import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Testing

/// Mapping models that are written in code.
@Suite struct `Mapping models` {
    private let folder: TemporaryFolder
    private var url: URL { folder.file("store.db") }

    init() throws { folder = try TemporaryFolder() }

    private static let old: [EntityDescription] = [
        EntityDescription(
            "Author",
            [
                .attribute("name", .string), .attribute("born", .integer16),
                .toMany("books", "Book", inverse: "author", isOrdered: true),
                .toMany("friends", "Author", inverse: "friends"),
            ]),
        EntityDescription(
            "Book",
            [
                .attribute("title", .string), .attribute("pages", .integer32),
                .attribute("cover", .binary), .toOne("author", "Author", inverse: "books"),
                .toMany("tags", "Tag", inverse: "books"),
            ]),
        EntityDescription("Novel", superentity: "Book", [.attribute("genre", .string)]),
        EntityDescription(
            "Tag", [.attribute("word", .string), .toMany("books", "Book", inverse: "tags")]),
    ]

    /// Authors become persons, books are split into works and editions, and novels become works as well.
    private static let new: [EntityDescription] = [
        EntityDescription(
            "Person",
            [
                .attribute("fullName", .string), .attribute("born", .integer64),
                .attribute("state", .string),
                .toMany("works", "Work", inverse: "writer", isOrdered: true),
                .toMany("friends", "Person", inverse: "friends"),
            ]),
        EntityDescription(
            "Work",
            [
                .attribute("title", .string), .attribute("writerName", .string),
                .attribute("genre", .string), .toOne("writer", "Person", inverse: "works"),
                .toMany("editions", "Edition", inverse: "work"),
                .toMany("labels", "Label", inverse: "works"),
            ]),
        EntityDescription(
            "Edition",
            [
                .attribute("pages", .integer64), .attribute("cover", .binary),
                .toOne("work", "Work", inverse: "editions"),
            ]),
        EntityDescription(
            "Label", [.attribute("word", .string), .toMany("works", "Work", inverse: "labels")]),
    ]

    private static func source(_ path: String) throws -> FetchExpression {
        try FetchExpression(format: "$source.\(path)")
    }

    private static func objects(_ mapping: String, _ end: String) throws -> FetchExpression {
        try FetchExpression(
            format:
                "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\","
                + " \"\(mapping)\", \(end))")
    }

    private static func objects(through name: String) throws -> FetchExpression {
        try FetchExpression(
            format:
                "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\","
                + " \"\(name)\", $source.\(name))")
    }

    private static func mapping() throws -> MappingModel {
        func work(_ name: String, from source: String) throws -> EntityMapping {
            EntityMapping(
                name, from: source, to: "Work",
                attributes: [
                    PropertyMapping("title", try Self.source("title")),
                    PropertyMapping("writerName", try Self.source("author.name")),
                    PropertyMapping(
                        "genre",
                        source == "Novel"
                            ? try Self.source("genre") : .constant(.string("none"))),
                ],
                relationships: [
                    PropertyMapping("writer", try objects("Persons", "$source.author")),
                    PropertyMapping("labels", try objects(through: "tags")),
                ])
        }
        func edition(_ name: String, from source: String, of work: String) throws -> EntityMapping {
            EntityMapping(
                name, from: source, to: "Edition",
                attributes: [
                    PropertyMapping("pages", try Self.source("pages")),
                    PropertyMapping("cover", try Self.source("cover")),
                ],
                relationships: [PropertyMapping("work", try objects(work, "$source"))])
        }
        return MappingModel([
            EntityMapping(
                "Persons", from: "Author", to: "Person",
                attributes: [
                    PropertyMapping("fullName", try source("name")),
                    PropertyMapping("born", try source("born")),
                    PropertyMapping("state", .constant(.string("moved"))),
                ],
                relationships: [
                    PropertyMapping("friends", try objects("Persons", "$source.friends")),
                    PropertyMapping("works", try objects(through: "books")),
                ]),
            try work("Works", from: "Book"), try work("Novels", from: "Novel"),
            try edition("Editions", from: "Book", of: "Works"),
            try edition("NovelEditions", from: "Novel", of: "Novels"),
            EntityMapping(
                "Labels", from: "Tag", to: "Label",
                attributes: [PropertyMapping("word", try source("word"))]),
        ])
    }

    private func trial(
        _ type: StoreType, _ mapping: MappingModel? = nil
    ) throws -> (MigrationTrial, ModelHistory) {
        let trial = try MigrationTrial(type, from: Self.old, to: Self.new)
        var history = ModelHistory(
            versions: [.init(name: "1", model: trial.old), .init(name: "2", model: trial.new)])
        history.add(
            try mapping ?? Self.mapping(), named: "Library", from: trial.old, to: trial.new)
        return (trial, history)
    }

    @Test(arguments: everyFileEngine)
    func `rename, split and connect objects`(_ type: StoreType) throws {
        let (trial, history) = try trial(type)
        let before = try trial.make()
        let manager = MigrationManager(destinationModel: trial.new, history: history)

        let plan = try manager.migrateStore(at: trial.url, ofType: type)

        #expect(plan.description.contains("The mapping model “Library” makes the objects:"))
        let after = try trial.image()
        #expect(after.differences(from: Self.expected(before)) == [])
    }

    /// The objects that the mapping makes, written by hand.
    private static func expected(_ before: StoreImage) -> StoreImage {
        var image = StoreImage()
        func renamed(_ id: StoreImage.ID) -> StoreImage.ID {
            let names = ["Author": "Person", "Book": "Work", "Novel": "Work", "Tag": "Label"]
            return StoreImage.ID(entity: names[id.entity] ?? id.entity, key: id.key)
        }
        for (id, object) in before.objects {
            var new = StoreImage.Object(version: object.version)
            switch id.entity {
            case "Author":
                new.values = [
                    "fullName": object.values["name"], "born": object.values["born"],
                    "state": .string("moved"),
                ].compactMapValues(\.self)
                new.toManys["friends"] = object.toManys["friends"]?.map(renamed)
                new.toManys["works"] = object.toManys["books"]?.map(renamed)
            case "Book", "Novel":
                let author = object.toOnes["author"].flatMap { before.objects[$0] }
                new.values = [
                    "title": object.values["title"], "writerName": author?.values["name"],
                    "genre": id.entity == "Novel" ? object.values["genre"] : .string("none"),
                ].compactMapValues(\.self)
                new.toOnes["writer"] = object.toOnes["author"].map(renamed)
                new.toManys["labels"] = object.toManys["tags"]?.map(renamed)
                let edition = StoreImage.ID(entity: "Edition", key: id.key)
                new.toManys["editions"] = [edition]
                var copy = StoreImage.Object(version: object.version)
                copy.values = object.values.filter { ["pages", "cover"].contains($0.key) }
                copy.toOnes["work"] = renamed(id)
                image.objects[edition] = copy
            default:
                new.values = object.values
                new.toManys["works"] = object.toManys["books"]?.map(renamed).sorted()
            }
            image.objects[renamed(id)] = new
        }
        return image
    }

    @Test(arguments: everyFileEngine)
    func `lead to all successors of an object`(_ type: StoreType) throws {
        let new = [
            EntityDescription(
                "Item",
                [
                    .attribute("text", .string), .toMany("members", "Item", inverse: "owners"),
                    .toMany("owners", "Item", inverse: "members"),
                ])
        ]
        let title = [PropertyMapping("text", try Self.source("title"))]
        let mapping = MappingModel([
            EntityMapping(
                "Authors", from: "Author", to: "Item",
                relationships: [PropertyMapping("members", try Self.objects(through: "books"))]),
            EntityMapping("Books", from: "Book", to: "Item", attributes: title),
            EntityMapping("Copies", from: "Book", to: "Item", attributes: title),
        ])
        let trial = try MigrationTrial(type, from: Self.old, to: new)
        var history = ModelHistory(
            versions: [.init(name: "1", model: trial.old), .init(name: "2", model: trial.new)])
        history.add(mapping, named: "Items", from: trial.old, to: trial.new)
        let before = try trial.make()

        try MigrationManager(destinationModel: trial.new, history: history)
            .migrateStore(at: trial.url, ofType: type)

        let after = try trial.image()
        let books = before.objects.filter { $0.key.entity == "Book" }
        let writers = before.objects.filter { $0.key.entity == "Author" }
        let read = writers.values.flatMap { $0.toManys["books"] ?? [] }.filter { books[$0] != nil }
        let members = after.objects.values.flatMap { $0.toManys["members"] ?? [] }
        #expect(!read.isEmpty)
        #expect(after.objects.count == writers.count + 2 * books.count)
        #expect(Set(members).count == 2 * Set(read).count)
        for (id, item) in after.objects where item.toManys["members"]?.isEmpty == false {
            let titles = (item.toManys["members"] ?? []).map { after.objects[$0]?.values["text"] }
            let author = try #require(writers[StoreImage.ID(entity: "Author", key: id.key)])
            let expected = (author.toManys["books"] ?? []).compactMap { books[$0] }
                .map { $0.values["title"] }
            #expect(titles.count == 2 * expected.count)
            #expect(Set(titles) == Set(expected))
        }
    }

    @Test(arguments: everyFileEngine)
    func `give new keys to the objects of a second hierarchy`(_ type: StoreType) throws {
        let new = [
            EntityDescription(
                "Item",
                [
                    .attribute("text", .string), .toOne("first", "Item", inverse: "others"),
                    .toMany("others", "Item", inverse: "first"),
                ])
        ]
        let mapping = MappingModel([
            EntityMapping(
                "Authors", from: "Author", to: "Item",
                attributes: [PropertyMapping("text", try Self.source("name"))]),
            EntityMapping(
                "Books", from: "Book", to: "Item",
                attributes: [PropertyMapping("text", try Self.source("title"))],
                relationships: [
                    PropertyMapping("first", try Self.objects("Authors", "$source.author"))
                ]),
        ])
        let trial = try MigrationTrial(type, from: Self.old, to: new)
        var history = ModelHistory(
            versions: [.init(name: "1", model: trial.old), .init(name: "2", model: trial.new)])
        history.add(mapping, named: "Items", from: trial.old, to: trial.new)
        let before = try trial.make()

        try MigrationManager(destinationModel: trial.new, history: history)
            .migrateStore(at: trial.url, ofType: type)

        let after = try trial.image()
        let authors = before.objects.filter { $0.key.entity == "Author" }
        let books = before.objects.filter { $0.key.entity == "Book" }
        #expect(after.objects.count == authors.count + books.count)
        for (id, book) in books {
            // The store has reserved 1,000 keys.
            let item = after.objects[StoreImage.ID(entity: "Item", key: id.key + 1000)]
            #expect(item?.values["text"] == book.values["title"])
            #expect(item?.toOnes["first"]?.key == book.toOnes["author"]?.key)
        }
    }

    @Test(arguments: everyFileEngine)
    func `set a to-one relationship of which only the inverse is mapped`(_ type: StoreType) throws {
        var model = try Self.mapping()
        for index in [1, 2] {
            model.entityMappings[index].relationshipMappings.removeAll { $0.name == "writer" }
        }
        let (trial, history) = try trial(type, model)
        let before = try trial.make()

        try MigrationManager(destinationModel: trial.new, history: history)
            .migrateStore(at: trial.url, ofType: type)

        #expect(try trial.image().differences(from: Self.expected(before)) == [])
    }

    /// The second copy has no objects, so its progress has no units.
    @Test(arguments: everyFileEngine)
    func `may remove all objects on the way to another store`(_ type: StoreType) throws {
        let (trial, history) = try trial(type, MappingModel())
        _ = try trial.make()
        let other = try MigrationTrial(type, from: Self.old, to: Self.new)
        let manager = MigrationManager(destinationModel: trial.new, history: history)

        try manager.migrateStore(
            from: trial.url, sourceType: type, toDestinationURL: other.url, destinationType: type)

        #expect(try other.image().objects.isEmpty)
        #expect(manager.progress.isFinished)
    }

    @Test func `that do not fit are refused with each reason`() throws {
        var model = try Self.mapping()
        model.entityMappings[0].attributeMappings.append(
            PropertyMapping("age", .constant(.integer(1))))
        model.entityMappings[0].attributeMappings.append(
            PropertyMapping("state", try Self.source("surname")))
        model.entityMappings[1].relationshipMappings.append(
            PropertyMapping("editions", try Self.objects("Nothing", "$source")))
        model.entityMappings[1].attributeMappings.append(
            PropertyMapping("title", try Self.source("cover")))
        model.entityMappings.append(EntityMapping("Gone", from: "Paper", to: "Work"))
        var policy = EntityMapping("Prices", from: "Tag", to: "Label", policy: "Shop.PricePolicy")
        policy.attributeMappings = [PropertyMapping("word", nil)]
        model.entityMappings.append(policy)
        let (trial, history) = try trial(.sqlite, model)
        _ = try trial.make()
        let bytes = try Data(contentsOf: trial.url)

        let error = #expect(throws: GraphError.self) {
            _ = try MigrationManager(destinationModel: trial.new, history: history)
                .plan(forStoreAt: trial.url, ofType: .sqlite)
        }

        guard case .store(.migrationRefused(_, let findings))? = error else {
            Issue.record("ended with \(String(describing: error))")
            return
        }
        let text = findings.map(\.description).joined(separator: "\n")
        for part in [
            "Person.age: the entity mapping “Persons” sets it", "reads “surname” of Author",
            "there is no such entity mapping", "whose type is binary",
            "Paper: the entity mapping “Gone” reads it", "(mapping model “Library”)",
            "has the policy “Shop.PricePolicy”, which the program has not registered",
            "word in createDestinationInstances",
        ] {
            #expect(text.contains(part), "\(part)\n\(text)")
        }
        #expect(try Data(contentsOf: trial.url) == bytes)
    }

    @Test func `call functions of their policies, and name the policy of an unknown one`() throws {
        func migrate(_ selector: String) throws -> Set<Value?> {
            let call = try FetchExpression(
                format: "FUNCTION($entityPolicy, \"\(selector)\", $source.word)")
            let mapping = MappingModel([
                EntityMapping(
                    "Labels", from: "Tag", to: "Label",
                    attributes: [PropertyMapping("word", call)], policy: "Shop.LabelPolicy")
            ])
            var (trial, history) = try trial(.sqlite, mapping)
            history.register(LabelPolicy.self, as: "LabelPolicy")
            _ = try trial.make()
            try MigrationManager(destinationModel: trial.new, history: history)
                .migrateStore(at: trial.url, ofType: .sqlite)
            return Set(try trial.image().objects.values.map { $0.values["word"] })
        }

        let words = try migrate("labelOf:")
        let error = #expect(throws: GraphError.self) { try migrate("colourOf:") }

        #expect(words.count > 4)
        #expect(
            words.allSatisfy {
                $0 == .string("no label") || String(describing: $0).contains("label of text")
            })
        #expect(
            error?.description.contains(
                "The function “colourOf:” is not one of the policy LabelPolicy")
                == true, "\(String(describing: error))")
    }

    @Test func `need values for required attributes`() throws {
        var new = Self.new
        var born = AttributeDescription("born", .integer64)
        born.isOptional = false
        new[0].properties[1] = .attribute(born)
        let trial = try MigrationTrial(.sqlite, from: Self.old, to: new)
        var history = ModelHistory(
            versions: [.init(name: "1", model: trial.old), .init(name: "2", model: trial.new)])
        history.add(try Self.mapping(), named: "Library", from: trial.old, to: trial.new)
        _ = try trial.make()

        let error = #expect(throws: GraphError.self) {
            try MigrationManager(destinationModel: trial.new, history: history)
                .migrateStore(at: trial.url, ofType: .sqlite)
        }

        #expect("\(String(describing: error))".contains("Person.born: it is required"))
    }

    /// A mapping model takes part even if inference is not allowed, and a version in between is inferred.
    @Test func `are steps of a chain`() throws {
        let (trial, _) = try trial(.sqlite)
        var last = Self.new
        last[0].properties.append(.attribute("note", .string))
        let newest = try ManagedObjectModel(last)
        var history = ModelHistory(
            versions: [trial.old, trial.new, newest].enumerated().map {
                .init(name: "\($0)", model: $1)
            })
        history.add(try Self.mapping(), named: "Library", from: trial.old, to: trial.new)
        _ = try trial.make()
        let manager = MigrationManager(destinationModel: newest, history: history)
        func open(inferring: Bool) throws {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: newest)
            let known = history
            coordinator.setModelHistory { known }
            let store = try coordinator.addPersistentStore(
                ofType: .sqlite, at: trial.url,
                options: [
                    .migratesAutomatically: .boolean(true),
                    .infersMappingModel: .boolean(inferring),
                ])
            try coordinator.remove(store)
        }

        let plan = try manager.plan(forStoreAt: trial.url, ofType: .sqlite)
        let refused = #expect(throws: GraphError.self) { try open(inferring: false) }
        try open(inferring: true)

        #expect(plan.stages.count == 2)
        for line in [
            "Stage 1 of 2: 0 → 1, because of the mapping model “Library”",
            "Stage 2 of 2: 1 → 2, inferred", " to read, ", "from Author (6 objects) to Person",
        ] {
            #expect(plan.description.contains(line), "\(plan)")
        }
        guard case .store(.mappingModelNeeded)? = refused else {
            Issue.record("ended with \(String(describing: refused))")
            return
        }
        #expect(!(try manager.plan(forStoreAt: trial.url, ofType: .sqlite).isNeeded))
    }
}

/// Makes labels of words.
private final class LabelPolicy: EntityMigrationPolicy {
    override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
        guard selector == "labelOf:" else {
            return try super.value(forFunction: selector, arguments: arguments)
        }
        return (arguments[0] as? String).map { "label of \($0)" } ?? "no label"
    }
}
