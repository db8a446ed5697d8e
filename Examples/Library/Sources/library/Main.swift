import Cairn
import Foundation
import Observation

/// A library: four entities, whose classes are written from `Library.xcdatamodeld`.
@main struct Main {
    static func main() async throws {
        guard let model = Bundle.module.url(forResource: "Library", withExtension: "xcdatamodeld")
        else { fatalError("the package lacks its model") }
        let container = PersistentContainer(
            name: "Library", managedObjectModel: try ManagedObjectModel(contentsOf: model),
            classes: LibraryClasses.all)
        container.persistentStoreDescriptions = [PersistentStoreDescription(type: "InMemory")]
        try await container.loadPersistentStores()
        let eliot = try await container.perform { context in try fill(context).entityID }
        try await container.perform { context in try show(context) }
        let json = try await container.perform { context in try send(eliot, of: context) }
        print(String(decoding: json, as: UTF8.self))
        try await container.perform { context in try receive(json, in: context) }
        try await container.perform { context in try observe(eliot, in: context) }
        try await container.perform { context in try change(context) }
    }

    /// Properties are set, to-ones at both ends; members are added one by one or all at once.
    private static func fill(_ context: ManagedObjectContext) throws -> Author {
        let eliot = try Author(context: context)
        eliot.name = "George Eliot"
        eliot.born = Date(timeIntervalSince1970: -4_740_681_600)
        let middlemarch = try Novel(context: context)
        middlemarch.title = "Middlemarch"
        middlemarch.pages = 880
        middlemarch.setting = "Coventry"
        middlemarch.author = eliot
        for title in ["Miss Brooke", "Old and Young", "Waiting for Death"] {
            let chapter = try Chapter(context: context)
            chapter.title = title
            middlemarch.chapters.append(chapter)
        }
        let essays = try Book(context: context)
        essays.title = "Essays"
        essays.pages = 240
        eliot.books.insert(essays)
        try context.save()
        return eliot
    }

    /// Predicates, sorting and summaries name properties, and the compiler checks them.
    private static func show(_ context: ManagedObjectContext) throws {
        let authors = try context.fetch(
            Author.self,
            where: #Predicate { $0.born != nil && $0.books.contains { $0.pages > 300 } },
            sortedBy: [SortDescriptor(\.name)], limit: 10)
        for author in authors { print("\(author.name), \(author.pageCount) pages") }
        let novels = try context.fetch(Novel.self, where: #Predicate { $0.chapters.count > 2 })
        for novel in novels {
            print("\(novel.title), set in \(novel.setting ?? "no place"):")
            for chapter in novel.chapters { print("  \(chapter.title)") }
        }
        print("\(try context.sum(of: \Book.pages)) pages in \(try context.count(Book.self)) books")
        for section in try context.sections(of: Book.self, by: \.isLent) {
            print("\(section.key ? "lent" : "here"): \(section.objects.map(\.title).sorted())")
        }
    }

    /// An ID leads to its object in each context. A snapshot has the values of an object and of chosen related ones.
    private static func send(
        _ id: EntityID<Author>, of context: ManagedObjectContext
    ) throws -> Data {
        let author = try context.existingObject(with: id)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(author.snapshot(including: .through(\.books)))
    }

    /// Objects are made from a snapshot. If it does not fit the model, nothing is inserted.
    private static func receive(_ json: Data, in context: ManagedObjectContext) throws {
        let snapshot = try JSONDecoder().decode(ObjectSnapshot<Author>.self, from: json)
        let copy = try context.insert(snapshot)
        copy.name = "Mary Ann Evans"
        let names = try context.fetch(Author.self, sortedBy: [SortDescriptor(\.name)]).map(\.name)
        print("\(copy.books.count) books received; authors: \(names)")
        context.rollback()
        do {
            let wrong = Data(#"{"name": "x", "books": [{"pages": "many"}]}"#.utf8)
            try context.insert(JSONDecoder().decode(ObjectSnapshot<Author>.self, from: wrong))
        } catch { print("refused: \(error)") }
    }

    /// Code that reads a property is told when it changes.
    private static func observe(_ id: EntityID<Author>, in context: ManagedObjectContext) throws {
        context.observesObjects = true
        let author = try context.existingObject(with: id)
        withObservationTracking {
            _ = author.name
        } onChange: {
            print("the name changes")
        }
        author.name = "Eliot"
        context.rollback()
    }

    /// What a class checks, and what a query cannot say.
    private static func change(_ context: ManagedObjectContext) throws {
        let nameless = try Author(context: context)
        do {
            try context.save()
        } catch GraphError.validation(let failures) {
            print("not saved: \(failures.count) author needs a name")
        }
        try context.delete(nameless)
        do {
            _ = try context.count(Author.self, where: #Predicate { $0.pageCount > 1_000 })
        } catch { print("refused: \(error)") }
        guard let eliot = try context.first(Author.self) else { return }
        eliot.books = []
        try context.save()
        let orphans = try context.count(Book.self, where: #Predicate { $0.author == nil })
        print("\(orphans) books without author")
    }
}
