import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@Suite struct `Snapshots of objects on an engine` {
    private func taken(of author: Author) throws -> ObjectSnapshot<Author> {
        try author.snapshot(
            including: .through(\.books, .through(\.chapters)),
            .through(\.mentor, .through(\.pupils)))
    }

    private func handle(_ engine: StoreType, _ folder: TemporaryFolder) throws -> ContextHandle {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Library.entities))
        try coordinator.addPersistentStore(
            ofType: engine, at: folder.url(of: engine, "library.store"))
        return ContextHandle(
            coordinator: coordinator,
            classes: ObjectClasses([Author.self, Book.self, Novel.self, Chapter.self]))
    }

    @Test(arguments: everyEngine)
    func `are the same in the store that they came from`(_ engine: StoreType) throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        let snapshot = try handle(.inMemory, first).performAndWait { context in
            let author = try Author(context: context)
            author.name = "George Eliot"
            author.born = Date(timeIntervalSinceReferenceDate: -0.125)
            let mentor = try Author(context: context)
            author.mentor = mentor
            mentor.mentor = mentor
            for number in 0..<20 {
                let book =
                    number % 2 == 0 ? try Novel(context: context) : try Book(context: context)
                book.title = "book \(number)"
                book.pages = number
                book.price = Decimal(number) / 8
                book.genre = number % 3 == 0 ? .travel : nil
                book.cover = Data([UInt8(number)])
                book.author = author
                let chapter = try Chapter(context: context)
                chapter.title = "chapter \(number)"
                book.chapters.append(chapter)
            }
            try context.save()
            return try taken(of: author)
        }
        let json = try JSONEncoder().encode(snapshot)

        let handle = try handle(engine, second)
        let id = try handle.performAndWait { context in
            let received = try JSONDecoder().decode(ObjectSnapshot<Author>.self, from: json)
            let author = try context.insert(received)
            try context.save()
            let id = author.entityID
            context.reset()
            return id
        }
        let again = try handle.performAndWait { context in
            try taken(of: try context.existingObject(with: id))
        }

        #expect(again == snapshot)
    }
}
