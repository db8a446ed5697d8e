import Foundation
import GraphSupport
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnQueries
@testable import CairnStack

@Suite struct `IDs with a class` {
    private let stack: MusicStack
    private let context: ManagedObjectContext
    private let author: Author
    private let novel: Novel

    init() throws {
        stack = try MusicStack(Library.entities)
        context = try stack.context(
            classes: ObjectClasses([Author.self, Book.self, Novel.self, Chapter.self]))
        author = try Author(context: context)
        author.name = "George Eliot"
        novel = try Novel(context: context)
        novel.author = author
        try context.save()
    }

    private func decode<ID: Decodable>(
        _ type: ID.Type, _ json: Data, _ coordinator: PersistentStoreCoordinator?
    ) throws -> ID {
        let decoder = JSONDecoder()
        decoder.userInfo[.persistentStoreCoordinator] = coordinator
        return try decoder.decode([ID].self, from: json)[0]
    }

    @Test func `lead to their objects, in each context`() throws {
        let id = author.entityID
        context.reset()

        #expect(try context.object(with: id).isFault)
        #expect(try context.existingObject(with: id).name == "George Eliot")
        #expect(try context.existingObject(with: EntityID<Book>(novel.objectID)) is Novel)
        let handle = stack.handle()
        let name = try handle.performAndWait { try $0.existingObject(with: id).name }
        #expect(name == "George Eliot")
    }

    @Test func `with another class are refused`() throws {
        let wrong = EntityID<Chapter>(author.objectID)

        #expect(throws: GraphError.self) { _ = try context.object(with: wrong) }
        let error = #expect(throws: GraphError.self) {
            _ = try context.existingObject(with: wrong)
        }
        #expect("\(try #require(error))".contains("Chapter"))
    }

    @Test func `are encoded as URIs`() throws {
        let json = try JSONEncoder().encode([novel.entityID])
        let id = try decode(EntityID<Novel>.self, json, stack.coordinator)

        #expect(id == novel.entityID)
        #expect(
            try JSONDecoder().decode([URL].self, from: json) == [id.objectID.uriRepresentation()])
    }

    @Test func `need a coordinator with the store to be decoded`() throws {
        let json = try JSONEncoder().encode([novel.entityID])
        let stranger = try MusicStack(Library.entities).coordinator

        for coordinator in [nil, stranger] {
            let error = #expect(throws: DecodingError.self) {
                _ = try decode(EntityID<Novel>.self, json, coordinator)
            }
            let text = "\(try #require(error))"
            #expect(text.contains(coordinator == nil ? "userInfo" : "Add the store"))
        }
    }

    @Test func `that are temporary are not encoded`() throws {
        let book = try Book(context: context)

        #expect(book.entityID.isTemporary)
        let error = #expect(throws: EncodingError.self) {
            _ = try JSONEncoder().encode([book.entityID])
        }
        #expect("\(try #require(error))".contains("obtainPermanentIDs"))
        try context.obtainPermanentIDs(for: [book])
        #expect(throws: Never.self) { _ = try JSONEncoder().encode([book.entityID]) }
    }

    @Test func `are what typed fetches of IDs return`() throws {
        let ids = try context.fetchIDs(Novel.self, where: #Predicate { $0.author?.name != nil })

        #expect(ids == [novel.entityID])
        #expect(try context.object(with: ids[0]) === novel)
    }

    @Test func `are compared by predicates`() throws {
        let (authorID, novelID) = (author.entityID, EntityID<Book>(novel.objectID))
        let chosen = [novelID]
        let other = try Book(context: context)
        try context.save()

        func books(_ predicate: Predicate<Book>) throws -> [Book] {
            Array(try context.fetch(Book.self, where: predicate))
        }
        #expect(try books(#Predicate { $0.author?.entityID == authorID }) == [novel])
        #expect(try books(#Predicate { $0.entityID == novelID }) == [novel])
        #expect(try books(#Predicate { $0.entityID != novelID }) == [other])
        #expect(try books(#Predicate { chosen.contains($0.entityID) }) == [novel])
        let none: [EntityID<Book>] = []
        #expect(try books(#Predicate { none.contains($0.entityID) }) == [])
    }
}
