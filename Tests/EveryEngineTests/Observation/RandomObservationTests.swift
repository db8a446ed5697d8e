import Cairn
import CairnTestSupport
import GraphSupport
import Testing

/// Random changes of all kinds, while every property of every object is watched. Every property whose value
/// differs after a change must have notified its watch.
@Suite struct `Random changes` {
    @Test(arguments: everyEngine, [21, 22] as [UInt64])
    func `are all reported to observers`(_ engine: StoreType, _ seed: UInt64) throws {
        print("random observation: \(engine), seed \(seed)")
        let stack = try GraphStack(engine)

        try stack.withUndo { context, coordinator in
            var walk = ObservationWalk(context, coordinator, seed: seed)
            try walk.run()
        }
    }

    @Test func `that bypass the observers fail the test`() throws {
        let stack = try GraphStack("InMemory")

        #expect(throws: ObservationWalk.Untold.self) {
            try stack.withUndo { context, coordinator in
                var walk = ObservationWalk(context, coordinator, seed: 21, setsSecretly: true)
                try walk.run()
            }
        }
    }
}

private struct ObservationWalk {
    private let context: ManagedObjectContext
    private let coordinator: PersistentStoreCoordinator
    private var random: SeededRandom
    private let setsSecretly: Bool
    private var objects: [ManagedObject] = []

    /// A property whose value changed without a notification.
    struct Untold: Error {
        let property: String
        let change: String
        let before: String
        let after: String
    }

    /// The observed value of a property, and the watch on it.
    private struct Sight {
        let object: ManagedObject
        let property: String
        let value: String
        let watch: Watch
    }

    init(
        _ context: ManagedObjectContext, _ coordinator: PersistentStoreCoordinator, seed: UInt64,
        setsSecretly: Bool = false
    ) {
        self.context = context
        self.coordinator = coordinator
        self.setsSecretly = setsSecretly
        random = SeededRandom(seed: seed)
        context.observesObjects = true
        context.retainsRegisteredObjects = true
        context.mergePolicy = StandardMergePolicy.mergeByPropertyObjectTrump
    }

    mutating func run() throws {
        for _ in 0..<4 { try insert() }
        try context.save()
        for _ in 0..<60 {
            let sights = try look()
            let change = try makeChange()
            for sight in sights {
                let value = try Self.picture(sight.property, of: sight.object)
                guard value == sight.value || sight.watch.isTold else {
                    throw Untold(
                        property: "\(sight.object.entity.name).\(sight.property)", change: change,
                        before: sight.value, after: value)
                }
            }
        }
    }

    // MARK: Watching

    private func look() throws -> [Sight] {
        try objects.flatMap { object in
            try object.entity.properties.map { property in
                var value = ""
                let watch = try Watch { value = try Self.picture(property.name, of: object) }
                return Sight(
                    object: object, property: property.name, value: value, watch: watch)
            }
        }
    }

    /// Returns a value as text. An object is identified as an instance, regardless of its ID.
    private static func picture(_ property: String, of object: ManagedObject) throws -> String {
        func identity(_ object: ManagedObject) -> String { "\(ObjectIdentifier(object))" }
        let found = Result { () throws(GraphError) in try object.value(forKey: property) }
        if case .failure(.objectGone) = found { return "gone" }
        return switch try found.get() {
        case let destination as ManagedObject: identity(destination)
        case let members as ObjectSet<ManagedObject>: "\(members.map(identity).sorted())"
        case let members as OrderedObjects<ManagedObject>: "\(members.map(identity))"
        case let value?: "\(value)"
        case nil: "nil"
        }
    }

    // MARK: Changes

    private var living: [ManagedObject] {
        objects.filter { $0.managedObjectContext != nil && !$0.isDeleted }
    }

    private mutating func any(_ entity: String) -> ManagedObject? {
        let found = living.filter { $0.entity.name == entity }
        return found.isEmpty ? nil : found[random.below(found.count)]
    }

    /// Makes a change, ends the event, and returns a description of the change.
    private mutating func makeChange() throws -> String {
        defer { context.processPendingChanges() }
        if setsSecretly, let book = any("Book") {
            try book.setPrimitiveValue("secret", forKey: "title")
            return "a secret"
        }
        switch random.below(14) {
        case 0: try insert()
        case 1, 2:
            try any("Book")?.setValue("title \(random.below(3))", forKey: "title")
            return "title"
        case 3, 4:
            try any("Book")?.setValue(any("Author"), forKey: "author")
            return "author"
        case 5:
            if let book = any("Book"), let genre = any("Genre") {
                try book.objects("genres").insert(genre)
            }
            return "genre added"
        case 6:
            try any("Genre")?.objects("books").removeAll()
            return "books removed"
        case 7:
            try moveChapters()
            return "order"
        case 8:
            if let object = living.isEmpty ? nil : living[random.below(living.count)] {
                try context.delete(object)
            }
            return "deletion"
        case 9:
            context.undo()
            return "undo"
        case 10:
            context.redo()
            return "redo"
        case 11:
            try context.save()
            return "save"
        case 12:
            if random.below(3) == 0 {
                context.rollback()
                return "rollback"
            }
            try context.refreshAllObjects()
            return "refresh"
        default:
            try mergeOthers()
            return "merge"
        }
        return "insertion"
    }

    private mutating func insert() throws {
        let author = try context.insert("Author", ["name": "author \(objects.count)"])
        let book = try context.insert("Book", ["title": "book \(objects.count)"])
        let chapters = try (0..<3).map { number in
            try context.insert("Chapter", ["title": "chapter \(number)"])
        }
        try book.setValue(author, forKey: "author")
        try book.orderedObjects("chapters").replaceAll(with: chapters)
        objects += [author, book, try context.insert("Genre", ["name": "genre"])] + chapters
    }

    private mutating func moveChapters() throws {
        guard let book = any("Book") else { return }
        let chapters = try book.orderedObjects("chapters")
        try chapters.exchangeMembers(at: 0, and: random.below(3))
    }

    /// Saves in another context, and merges the changes into this context.
    private mutating func mergeOthers() throws {
        let ids = living.filter { $0.entity.name == "Book" && !$0.objectID.isTemporary }
            .map(\.objectID)
        guard !ids.isEmpty else { return }
        let (id, number) = (ids[random.below(ids.count)], random.below(100))
        let changes = try ContextHandle(coordinator: coordinator).performAndWait { other in
            guard let book = try? other.existingObject(with: id) else { return ObjectIDChanges() }
            try book.setValue("other \(number)", forKey: "title")
            try book.setValue(nil, forKey: "author")
            let changed = other.updatedObjects.map(\.objectID)
            try other.save()
            var changes = ObjectIDChanges()
            changes.updated = Set(changed)
            return changes
        }
        try context.mergeChanges(changes)
    }
}
