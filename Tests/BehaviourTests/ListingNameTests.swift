import CairnTestSupport
import CoreData
import Foundation
import GraphSupport
import Testing

private class Writer: ManagedObject {
    convenience init(name: String, insertInto context: ManagedObjectContext) throws {
        let entity = try #require(EntityDescription.entity(forEntityName: "Author", in: context))
        try self.init(entity: entity, insertInto: context)
        try setValue(name, forKey: "name")
    }
}

private final class Poet: Writer {}

/// The API names that Core Data set-up code and tutorials use.
@Suite struct `Code written for Core Data` {
    private static let writers: ObjectClasses = {
        var classes = ObjectClasses()
        classes.register(Writer.self, as: "Author")
        return classes
    }()

    // MARK: Inserting by an entity

    @Test(arguments: chosenEngines)
    func `inserts an object by its entity, with defaults`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let entity = try #require(
                EntityDescription.entity(forEntityName: "Author", in: context))
            let author = try ManagedObject(entity: entity, insertInto: context)

            #expect(author.entity == entity)
            #expect(author.isInserted && author.managedObjectContext === context)
            #expect(try author.value(forKey: "name") as? String == "nobody")
            try context.save()
            #expect(try context.fetch(FetchRequest(entityName: "Author")) == [author])
        }
    }

    @Test(arguments: chosenEngines)
    func `inserts an object of the entity's class, also by the superclass`(
        _ type: StoreType
    ) throws {
        try inLibrary(type, classes: Self.writers) { context throws in
            let entity = try #require(
                EntityDescription.entity(forEntityName: "Author", in: context))

            let plain = try ManagedObject(entity: entity, insertInto: context)
            let writer = try Writer(entity: entity, insertInto: context)
            let named = try Writer(name: "A", insertInto: context)

            #expect(plain is Writer)
            #expect(Swift.type(of: writer) == Writer.self)
            #expect(try named.value(forKey: "name") as? String == "A")
            #expect(context.insertedObjects == [plain, writer, named])
        }
    }

    @Test(arguments: chosenEngines)
    func `makes the class that is used first the class of the entity`(
        _ type: StoreType
    ) throws {
        try inLibrary(type) { context throws in
            let writer = try Writer(name: "A", insertInto: context)
            let other = try context.insertNewObject(forEntityName: "Author")

            #expect(other is Writer)
            #expect(context.insertedObjects == [writer, other])
        }
    }

    @Test(arguments: chosenEngines)
    func `is refused a class other than the entity's, and inserts nothing`(
        _ type: StoreType
    ) throws {
        try inLibrary(type, classes: Self.writers) { context throws in
            let entity = try #require(
                EntityDescription.entity(forEntityName: "Author", in: context))

            let error = #expect(throws: GraphError.self) {
                try Poet(entity: entity, insertInto: context)
            }

            guard case .classTooLate = error else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
            #expect(context.insertedObjects.isEmpty)
        }
    }

    @Test(arguments: chosenEngines)
    func `is refused an entity of another model, and an abstract one`(_ type: StoreType) throws {
        var form = EntityDescription("Form")
        form.isAbstract = true
        let other = try ManagedObjectModel([EntityDescription("Author")])
        let stack = try StudioStack(type, [form, EntityDescription("Author")])
        try stack.inContext { context throws in
            let stranger = try #require(other.entity(named: "Author"))
            let abstract = try #require(
                EntityDescription.entity(forEntityName: "Form", in: context))

            let unknown = #expect(throws: GraphError.self) {
                try ManagedObject(entity: stranger, insertInto: context)
            }
            let refused = #expect(throws: GraphError.self) {
                try ManagedObject(entity: abstract, insertInto: context)
            }

            if case .unknownEntity = unknown {} else { Issue.record("taken: \(unknown as Any)") }
            if case .abstractEntity = refused {} else { Issue.record("taken: \(refused as Any)") }
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `inserts an object by the name of its entity`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try EntityDescription.insertNewObject(forEntityName: "Tag", into: context)

            #expect(tag.entity.name == "Tag")
            #expect(EntityDescription.entity(forEntityName: "Tga", in: context) == nil)
            #expect(throws: GraphError.self) {
                try EntityDescription.insertNewObject(forEntityName: "Tga", into: context)
            }
        }
    }

    @Test func `finds no entity before the context is connected`() throws {
        let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let entity = try #require(
            ManagedObjectModel([EntityDescription("Author")]).entity(named: "Author"))

        try context.performAndWait {
            #expect(EntityDescription.entity(forEntityName: "Author", in: context) == nil)
            let error = #expect(throws: GraphError.self) {
                try ManagedObject(entity: entity, insertInto: context)
            }
            if case .notConnected = error {} else { Issue.record("taken: \(error as Any)") }
        }
    }

    // MARK: Requests

    @Test(arguments: chosenEngines)
    func `fetches by an entity's name, sorted by a key`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            for name in ["b", "c", "a"] { _ = try context.insert("Author", ["name": name]) }
            var request = FetchRequest<ManagedObject>(entityName: "Author")
            request.sortDescriptors = [FetchSortDescriptor(key: "name", ascending: false)]
            let authors: [ManagedObject] = try context.fetch(request)

            #expect(try authors.map { try $0.value(forKey: "name") as? String } == ["c", "b", "a"])
            request.resultType = .countResultType
            #expect(try context.count(for: request) == 3)
            guard case .count(3) = try context.execute(request) else {
                Issue.record("no count")
                return
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `fetches without values if a request says so`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            _ = try context.insert("Author", ["name": "a"])
            try context.save()
            context.reset()
            var request = FetchRequest<ManagedObject>(entityName: "Author")
            let includesValues = request.includesPropertyValues
            request.includesPropertyValues = false

            let author = try context.fetch(request)[0]

            #expect(includesValues)
            #expect(author.isFault)
            #expect(try author.value(forKey: "name") as? String == "a")
        }
    }

    @Test(arguments: chosenEngines)
    func `fetches by a class's own request`(_ type: StoreType) throws {
        try inLibrary(type, classes: Self.writers) { context throws in
            let writer = try Writer(name: "A", insertInto: context)
            var request = Writer.fetchRequest()
            request.predicate = try FetchPredicate(
                format: "%K == %@", argumentArray: ["name", "A"])

            #expect(try context.fetch(request).first === writer)
        }
    }

    @Test(arguments: chosenEngines)
    func `combines predicates`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            for (name, born) in [("a", 1), ("b", 2), ("c", 3)] {
                _ = try context.insert("Author", ["name": name, "born": born])
            }
            func names(_ predicate: FetchPredicate) throws -> Set<String> {
                var request = FetchRequest(entityName: "Author")
                request.predicate = predicate
                return Set(
                    try context.fetch(request).map { try $0.value(forKey: "name") as? String ?? "" }
                )
            }
            let early = try FetchPredicate(format: "born < 3")
            let late = try FetchPredicate(format: "born > 1")

            #expect(
                try names(FetchPredicate(andPredicateWithSubpredicates: [early, late])) == ["b"])
            #expect(
                try names(FetchPredicate(orPredicateWithSubpredicates: [early, late]))
                    == ["a", "b", "c"])
            #expect(try names(FetchPredicate(notPredicateWithSubpredicate: early)) == ["c"])
            #expect(try names(FetchPredicate(value: false)).isEmpty)
            #expect(try names(FetchPredicate(value: true)).count == 3)
            #expect(try names(FetchPredicate(andPredicateWithSubpredicates: [])).count == 3)
            #expect(try names(FetchPredicate(orPredicateWithSubpredicates: [])).isEmpty)
        }
    }

    @Test(arguments: chosenEngines)
    func `creates a results controller without a cache`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            for (title, alias) in [("c", "x"), ("a", "x"), ("b", "y")] {
                _ = try context.insert("Book", ["title": title, "authorAlias": alias])
            }
            var request = FetchRequest(entityName: "Book")
            request.sortDescriptors = ["authorAlias", "title"].map {
                FetchSortDescriptor(key: $0, ascending: true)
            }
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context,
                sectionNameKeyPath: "authorAlias", cacheName: nil)
            try controller.performFetch()

            #expect(controller.sections?.map(\.name) == ["x", "y"])
            #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
        }
    }

    // MARK: Models

    @Test func `looks entities and properties up by name`() throws {
        let model = try ManagedObjectModel(Library.entities)
        let novel = try #require(model.entitiesByName["Novel"])

        #expect(Set(model.entitiesByName.keys) == Set(Library.entities.map(\.name)))
        #expect(novel.attributesByName["hero"]?.name == "hero")
        #expect(novel.attributesByName["title"]?.entity.name == "Book")
        #expect(novel.relationshipsByName["author"]?.destinationEntity.name == "Author")
        #expect(novel.relationshipsByName["author"]?.inverseRelationship?.name == "books")
        #expect(novel.propertiesByName.count == novel.properties.count)
        #expect(model.entityVersionHashesByName["Novel"] == novel.versionHash.data)
        #expect(novel.superentity?.subentitiesByName["Novel"] == novel)
    }

    // MARK: Contexts

    @Test(arguments: chosenEngines)
    func `observes a context by the names of the notifications`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let names: [Notification.Name] = [
                .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextWillSave,
                .NSManagedObjectContextDidSave,
            ]
            let inboxes = names.map { NotificationInbox($0, of: context) }
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()

            #expect(inboxes.map(\.count) == [1, 1, 1])
            #expect(inboxes[2].objects(NSInsertedObjectsKey) == [tag])
            #expect(inboxes[2].objects(NSUpdatedObjectsKey).isEmpty)
            #expect(inboxes[2].objects(NSDeletedObjectsKey).isEmpty)
        }
    }

    @Test(arguments: chosenEngines)
    func `merges what a remote context saved into contexts`(_ type: StoreType) async throws {
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = stack.coordinator
        let tag = try context.performAndWait {
            let tag = try context.insert("Tag", ["name": "old"])
            try context.save()
            return tag
        }
        try stack.inContext { other throws in
            for tag in try other.fetch(FetchRequest(entityName: "Tag")) {
                try tag.setValue("new", forKey: "name")
            }
            try other.save()
        }
        let uri = tag.objectID.uriRepresentation()
        try ManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: [uri]], into: [context])
        let name = try context.performAndWait { try tag.value(forKey: "name") as? String }

        #expect(name == "new")
    }

    @Test(arguments: chosenEngines)
    func `resolves conflicts by a policy's constant`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        let policies = [
            NSMergeByPropertyStoreTrumpMergePolicy, NSMergeByPropertyObjectTrumpMergePolicy,
            NSOverwriteMergePolicy, NSRollbackMergePolicy,
        ]
        var names: [String?] = []
        for policy in policies {
            names.append(
                try stack.inContext { context throws in
                    context.mergePolicy = policy
                    let tag = try context.insert("Tag", ["name": "old"])
                    try context.save()
                    let id = tag.objectID
                    try stack.inContext { other throws in
                        try other.object(with: id).setValue("store", forKey: "name")
                        try other.save()
                    }
                    try tag.setValue("object", forKey: "name")
                    try context.save()
                    return try tag.value(forKey: "name") as? String
                })
        }

        #expect(names == ["store", "object", "object", "store"])
        #expect(NSErrorMergePolicy == StandardMergePolicy(.error))
    }

    @Test(arguments: chosenEngines)
    func `keeps values of its own with a context`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            context.userInfo["origin"] = "import"
            try context.setQueryGenerationFrom(.current)

            #expect(context.userInfo["origin"] as? String == "import")
            #expect(context.queryGenerationToken != nil)
        }
    }

    @Test(arguments: chosenEngines)
    func `sets and reads several values by their keys`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let json = try #require(
                JSONSerialization.jsonObject(
                    with: Data(#"{"name": "A", "born": 1, "alias": null}"#.utf8)) as? [String: Any])
            let author = try context.insert("Author", ["alias": "x"])
            try author.setValuesForKeys(json)
            let values = try author.dictionaryWithValues(forKeys: ["name", "born", "alias"])

            #expect(values["name"] as? String == "A")
            #expect(values["born"] as? Int64 == 1)
            #expect(values["alias"] is NSNull)
            #expect(throws: GraphError.self) { try author.setValuesForKeys(["nmae": "B"]) }
            #expect(throws: GraphError.self) { try author.dictionaryWithValues(forKeys: ["nmae"]) }
        }
    }

    @Test(arguments: chosenEngines)
    func `changes a relationship by its mutable set`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let (book, tag) = (try context.insert("Book"), try context.insert("Tag"))
            let chapter = try context.insert("Chapter")
            try book.mutableSetValue(forKey: "tags").add(tag)
            try book.mutableOrderedSetValue(forKey: "chapters").add(chapter)

            #expect(try book.objects("tags").contains(tag))
            #expect(try chapter.value(forKey: "book") as? ManagedObject === book)
            #expect(tag.objectID.isTemporaryID)
        }
    }
}
