import Cairn
import Foundation

/// A model with a property of every kind, and classes that declare all of them.
package enum Library {
    package static let entities: [EntityDescription] = [
        EntityDescription(
            "Author",
            [
                .attribute("name", .string, isOptional: false, defaultValue: .string("")),
                .attribute("born", .date), .attribute("rank", .integer16),
                .toOne("mentor", "Author", inverse: "pupils"),
                .toMany("pupils", "Author", inverse: "mentor"),
                .toMany("books", "Book", inverse: "author", deleteRule: .cascade),
            ]),
        EntityDescription(
            "Book",
            [
                .attribute("title", .string, isOptional: false, defaultValue: .string("")),
                .attribute("pages", .integer64), .attribute("copies", .integer32),
                .attribute("price", .decimal), .attribute("weight", .double),
                .attribute("rating", .float), .attribute("isLent", .boolean),
                .attribute("id", .uuid), .attribute("page", .uri), .attribute("cover", .binary),
                .attribute("genre", .string), .attribute("volume", .integer16),
                .attribute(transient),
                .toOne("author", "Author", inverse: "books"),
                .toMany("chapters", "Chapter", inverse: "book", isOrdered: true),
            ]),
        EntityDescription("Novel", superentity: "Book", [.attribute("setting", .string)]),
        EntityDescription(
            "Chapter",
            [
                .attribute("title", .string), .toOne("book", "Book", inverse: "chapters"),
            ]),
    ]

    private static var transient: AttributeDescription {
        var note = AttributeDescription("note", .string)
        note.isTransient = true
        return note
    }
}

package enum Genre: String, CaseIterable, AttributeValue { case novel, poems, travel }
package enum Volume: Int16, CaseIterable, AttributeValue { case first = 1, second }

package final class Author: ManagedObject {
    @Managed package var name: String
    @Managed package var born: Date?
    @Managed package var rank: Int16
    @Managed package var mentor: Author?
    @Managed package var pupils: Members<Author>
    @Managed package var books: Members<Book>

    /// A computed property that is not in the model.
    package var shout: String { name.uppercased() }
}

package class Book: ManagedObject {
    @Managed package var title: String
    @Managed package var pages: Int
    @Managed package var copies: Int32?
    @Managed package var price: Decimal?
    @Managed package var weight: Double
    @Managed package var rating: Float?
    @Managed package var isLent: Bool
    @Managed package var id: UUID?
    @Managed package var page: URL?
    @Managed package var cover: Data?
    @Managed package var genre: Genre?
    @Managed package var volume: Volume?
    @Managed package var note: String?
    /// A stored property between the managed properties.
    package var isMarked = false
    @Managed package var author: Author?
    @Managed package var chapters: OrderedMembers<Chapter>
}

package final class Novel: Book {
    @Managed package var setting: String?
}

package final class Chapter: ManagedObject {
    @Managed package var title: String?
    @Managed package var book: Book?
}
