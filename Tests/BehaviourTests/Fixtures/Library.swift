import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// The entities of the tests, and stacks that use them.
enum Library {
    /// Returns a stack over new stores of an engine.
    static func stack(_ type: StoreType, storeCount: Int = 1) throws -> StudioStack {
        try StudioStack(type, storeCount: storeCount, entities)
    }

    /// Returns object classes that map every entity of the library to one class.
    static func classes(_ objectClass: ManagedObject.Type) -> ObjectClasses {
        var classes = ObjectClasses()
        for entity in entities { classes.register(objectClass, as: entity.name) }
        return classes
    }

    static let entities: [EntityDescription] = [
        author, book, novel, tag, club, ticket, sample,
        EntityDescription(
            "Chapter", [.attribute("title", .string), .toOne("book", "Book", inverse: "chapters")]),
    ]

    private static let author = EntityDescription(
        "Author",
        [
            .attribute("name", .string, isOptional: false, defaultValue: "nobody"),
            .attribute("alias", .string), .attribute("born", .integer16),
            .attribute(transient("mood", .string)),
            .toMany("books", "Book", inverse: "author", deleteRule: .cascade),
            .toOne("mentor", "Author", inverse: "pupils"),
            .toMany("pupils", "Author", inverse: "mentor"),
            .toMany("friends", "Author", inverse: "friends"),
            fetched("ownBooks", "Book", "authorAlias == $FETCH_SOURCE.alias"),
            fetched("laterAuthors", "Author", "born > $FETCH_SOURCE.born"),
            fetched("booksOfMentor", "Book", "authorAlias == $FETCH_SOURCE.mentor.alias"),
            fetched("writtenBooks", "Book", "author == $FETCH_SOURCE"),
            fetched("booksOfPupils", "Book", "authorAlias IN $FETCH_SOURCE.pupils.alias"),
            fetched(
                "classics", "Book", "title == $FETCHED_PROPERTY.name",
                userInfo: ["kind": "rare"]),
            fetched(
                "rarities", "Book", "title == $FETCHED_PROPERTY.userInfo.kind",
                userInfo: ["kind": "rare"]),
        ])

    private static let book = EntityDescription(
        "Book",
        [
            .attribute("title", .string),
            .attribute(
                "pages", .integer32, isOptional: true,
                validationRules: [.minimum(0), .maximum(5000)]),
            .attribute("authorAlias", .string), .attribute("isOut", .boolean),
            .attribute("price", .double),
            .toOne("author", "Author", inverse: "books"),
            .toMany("tags", "Tag", inverse: "books"),
            .toMany("chapters", "Chapter", inverse: "book", isOrdered: true, deleteRule: .cascade),
        ])

    private static let novel = EntityDescription(
        "Novel", superentity: "Book", [.attribute("hero", .string)])

    private static let tag = EntityDescription(
        "Tag",
        [
            .attribute(
                "name", .string, isOptional: true,
                validationRules: [.minimumLength(2), .maximumLength(12)]),
            .toMany("books", "Book", inverse: "tags"),
        ])

    private static let club = EntityDescription(
        "Club",
        [
            .attribute("name", .string),
            .toMany("members", "Author", deleteRule: .deny),
            .toOne("head", "Author", isOptional: true, deleteRule: .noAction),
        ])

    private static let ticket: EntityDescription = {
        var ticket = EntityDescription(
            "Ticket",
            [
                .attribute("code", .string), .attribute("seat", .integer64),
                .attribute("price", .integer64),
            ])
        ticket.uniquenessConstraints = [["code"]]
        return ticket
    }()

    /// An entity with an attribute of each type.
    private static let sample = EntityDescription(
        "Sample",
        [
            .attribute("int16", .integer16), .attribute("int32", .integer32),
            .attribute("int64", .integer64), .attribute("flag", .boolean),
            .attribute("double", .double), .attribute("float", .float),
            .attribute("decimal", .decimal), .attribute("text", .string),
            .attribute("date", .date), .attribute("data", .binary), .attribute("uuid", .uuid),
            .attribute("uri", .uri), .attribute("blob", .transformable),
            .attribute(transient("note", .string)), .attribute(transient("count", .integer64)),
        ])

    private static func transient(_ name: String, _ type: AttributeType) -> AttributeDescription {
        var attribute = AttributeDescription(name, type)
        attribute.isTransient = true
        return attribute
    }

    private static func fetched(
        _ name: String, _ entity: String, _ format: String, userInfo: [String: String] = [:]
    ) -> PropertyDescription {
        let condition: FetchRequestTemplate.Condition
        do {
            condition = .predicate(try FetchPredicate(format: format))
        } catch {
            condition = .unreadable(text: format, reason: "\(error)")
        }
        var template = FetchRequestTemplate(entity: entity, condition: condition)
        template.sortDescriptors = [.init(entity == "Book" ? "title" : "name")]
        var property = FetchedPropertyDescription(name, template)
        property.userInfo = userInfo
        return .fetchedProperty(property)
    }
}

/// Runs the body in a turn of a context on a new library.
func inLibrary(
    _ type: StoreType, classes: ObjectClasses = ObjectClasses(),
    _ body: @Sendable (ManagedObjectContext) throws -> Void
) throws {
    let stack = try Library.stack(type)
    try stack.inContext(classes: classes, body)
}

/// Runs the body in a turn of a context on a new library of `HookedObject`s.
func inHookedLibrary(
    _ type: StoreType, _ body: @Sendable (ManagedObjectContext) throws -> Void
) throws {
    try inLibrary(type, classes: Library.classes(HookedObject.self), body)
}

extension ManagedObjectContext {
    /// Inserts an object whose hooks the test can set.
    func insertHooked(
        _ entity: String, _ values: [String: Any] = [:]
    ) throws -> HookedObject {
        try #require(try insert(entity, values) as? HookedObject)
    }
}
