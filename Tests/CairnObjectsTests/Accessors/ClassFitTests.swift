import CairnMemory
import CairnModel
import Foundation
import GraphSupport
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnQueries
@testable import CairnStack

/// Properties with a wrong type, a wrong destination, or a type that does not allow `nil` although the model
/// does.
private final class WrongTypes: ManagedObject {
    @Managed var title: Int
    @Managed var pages: Int32
    @Managed var price: Double?
    @Managed var genre: String
    @Managed var author: Members<Author>
    @Managed var chapters: Members<Chapter>
}
private final class WrongNames: ManagedObject {
    @Managed var titel: String
    @Managed var shelfmark: String?
}
private final class SwappedNames: ManagedObject {
    @Managed var copies: Int
    @Managed var pages: Int32?
}
private final class WrongClass: ManagedObject {
    @Managed var author: Chapter?
    @Managed var chapters: OrderedMembers<Author>
}
/// A superclass that gained a property after its subclass was written.
private class Shifted: ManagedObject {
    @Managed var note: String?
    @Managed var rating: Float?
    @Managed var weight: Double
}
private final class Below: Shifted {
    @Managed var setting: String?
    @Managed var pages: Int
}

/// Fits the entity Book. Its destinations are of classes that do not fit.
private final class Volume: ManagedObject {
    @Managed var author: UnfitAuthor?
    @Managed var chapters: OrderedMembers<UnfitChapter>
}
private final class UnfitAuthor: ManagedObject {
    @Managed var nmae: String
}
private final class UnfitChapter: ManagedObject {
    @Managed var title: Int?
}

@Suite struct `A class that does not fit its entity` {
    private func misfits(_ objectClass: ManagedObject.Type, _ entity: String) throws -> String {
        let model = try ManagedObjectModel(Library.entities)
        let entity = try #require(model.entity(named: entity))
        return ClassFit(objectClass, entity, ObjectClasses([Author.self])).misfits
            .map(\.description).joined(separator: "\n")
    }

    @Test func `is described by each property: a wrong type`() throws {
        #expect(
            try misfits(WrongTypes.self, "Book") == """
                The class WrongTypes declares “title: Int”, which needs an attribute of type Integer 64, but Book.title is an attribute of type String. Declare it as “String”.
                The class WrongTypes declares “pages: Int32”, which needs an attribute of type Integer 32, but Book.pages is an attribute of type Integer 64. Declare it as “Int”.
                The class WrongTypes declares “price: Double?”, which needs an attribute of type Double, but Book.price is an attribute of type Decimal. Declare it as “Decimal”.
                The class WrongTypes declares “genre: String”, which needs an attribute that is never nil, but Book.genre is an optional attribute. Declare it as “String?”, or make the attribute required.
                The class WrongTypes declares “author: Members<Author>”, which needs a to-many relationship to Author, but Book.author is a to-one relationship to Author. Declare it as “Author?”.
                The class WrongTypes declares “chapters: Members<Chapter>”, which needs a to-many relationship to Chapter, but Book.chapters is an ordered to-many relationship to Chapter. Declare it as “OrderedMembers<Chapter>”.
                """)
    }

    @Test func `is described by each property: a wrong name`() throws {
        #expect(
            try misfits(WrongNames.self, "Book") == """
                The class WrongNames declares “titel: String”, but the entity Book has no property “titel”. Did you mean “title”?
                The class WrongNames declares “shelfmark: String?”, but the entity Book has no property “shelfmark”. Its properties are “author”, “chapters”, “copies”, “cover”, “genre”, “id”, “isLent”, “note”, “page”, “pages”, “price”, “rating”, “title”, “volume”, “weight”.
                """)
    }

    @Test func `is described by each property: swapped names`() throws {
        #expect(
            try misfits(SwappedNames.self, "Book") == """
                The class SwappedNames declares “copies: Int”, which needs an attribute of type Integer 64, but Book.copies is an attribute of type Integer 32. Declare it as “Int32”.
                The class SwappedNames declares “pages: Int32?”, which needs an attribute of type Integer 32, but Book.pages is an attribute of type Integer 64. Declare it as “Int”.
                """)
    }

    @Test func `is described by each property: another destination`() throws {
        #expect(
            try misfits(WrongClass.self, "Book") == """
                The class WrongClass declares “author: Chapter?”, which needs a relationship to Chapter, but Book.author is a relationship to Author. Declare it with the class Author.
                The class WrongClass declares “chapters: OrderedMembers<Author>”, which needs a relationship to Author, but Book.chapters is a relationship to Chapter. Declare it with the class Chapter, or register the class of Chapter.
                """)
    }

    @Test func `still fits if its superclass has another property`() throws {
        let stack = try MusicStack(Library.entities)
        let context = try stack.context(
            classes: {
                var classes = ObjectClasses()
                classes.register(Below.self, as: "Novel")
                return classes
            }())
        let entity = try #require(context.managedObjectModel.entity(named: "Novel"))
        let novel = try #require(
            try ManagedObject(entity: entity, insertInto: context) as? Below)
        novel.setting = "Coventry"
        novel.pages = 9
        novel.rating = 0.5

        #expect(try novel.value(forKey: "setting") as? String == "Coventry")
        #expect(try novel.value(forKey: "pages") as? Int64 == 9)
        #expect(try novel.value(forKey: "rating") as? Float == 0.5)
        #expect(novel.setting == "Coventry" && novel.pages == 9 && novel.rating == 0.5)
    }

    @Test func `is refused when it is first needed, and no object has it`() throws {
        let stack = try MusicStack(Library.entities)
        var classes = ObjectClasses()
        classes.register(WrongTypes.self, as: "Book")
        let context = try stack.context(classes: classes)

        let error = #expect(throws: GraphError.self) {
            let _: [WrongTypes] = try context.fetch(FetchRequest<WrongTypes>("Book"))
        }

        guard case .classDoesNotFit(let misfits) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(misfits.count == 6)
        #expect(!(try context.insertNewObject(forEntityName: "Book") is WrongTypes))
    }

    /// Whether a class fits is known after the first context, but only for its model and for the classes of
    /// that time.
    @Test func `is refused after another class or another model fitted`() throws {
        var classes = ObjectClasses()
        classes.register(Below.self, as: "Novel")
        let fitting = try MusicStack(Library.entities).context(classes: classes)
        #expect(try fitting.fetch(FetchRequest<Below>("Novel")).isEmpty)

        let other = EntityDescription("Novel", [.attribute("pages", .string)])
        let misfit = try MusicStack([other]).context(classes: classes)
        #expect(throws: GraphError.self) {
            _ = try misfit.fetch(FetchRequest<Below>("Novel"))
        }
        classes.register(WrongTypes.self, as: "Novel")
        let changed = try MusicStack(Library.entities).context(classes: classes)
        #expect(throws: GraphError.self) {
            _ = try changed.fetch(FetchRequest<WrongTypes>("Novel"))
        }
        let again = try MusicStack(Library.entities).context(classes: classes)
        #expect(throws: GraphError.self) {
            _ = try again.fetch(FetchRequest<WrongTypes>("Novel"))
        }
    }

    @Test func `is reported by the relationships that lead to it`() throws {
        let stack = try MusicStack(Library.entities)
        var classes = ObjectClasses()
        classes.register(Volume.self, as: "Book")
        classes.register(UnfitAuthor.self, as: "Author")
        classes.register(UnfitChapter.self, as: "Chapter")
        let context = try stack.context(classes: classes)
        let book = try context.insertNewObject(forEntityName: "Book")
        try book.setValue(context.insertNewObject(forEntityName: "Author"), forKey: "author")
        try book.setValue(
            [try context.insertNewObject(forEntityName: "Chapter")], forKey: "chapters")
        let volume = try #require(book as? Volume)
        var failures: [String] = []
        context.faultFailureHandler = { error, _ in failures.append("\(error)") }

        #expect(volume.author == nil && Array(volume.chapters).isEmpty)

        #expect(failures.count == 2)
        #expect(failures.first?.contains("The class UnfitAuthor declares “nmae: String”") == true)
        #expect(failures.last?.contains("The class UnfitChapter declares “title: Int?”") == true)
    }

    @Test func `keeps a container from opening its stores`() async throws {
        var classes = ObjectClasses()
        classes.register(WrongTypes.self, as: "Book")
        let container = PersistentContainer(
            name: "Library", managedObjectModel: try ManagedObjectModel(Library.entities),
            registry: StoreRegistry([InMemoryStore.self]), classes: classes)
        container.persistentStoreDescriptions = [PersistentStoreDescription(type: "InMemory")]

        let error = await #expect(throws: GraphError.self) {
            try await container.loadPersistentStores()
        }

        guard case .classDoesNotFit(let misfits) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(misfits.count == 6)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
    }
}
