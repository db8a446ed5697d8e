import Cairn
import Foundation

final class Author: ManagedObject {
    @Managed var name: String
    @Managed var born: Date?
    @Managed var books: Members<Book>
    override class var entitySettings: EntitySettings {
        EntitySettings(of: Author.self, .relationship("books", inverse: .named("author", \Book.author)))
    }
}
final class Book: ManagedObject {
    @Managed var title: String
    @Managed var pages: Int
    @Managed var isLent: Bool
    @Managed var author: Author?
    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Book.self, .attribute("pages", default: 0), .attribute("isLent", default: false))
    }
}
let container = try PersistentContainer(name: "Library", for: Author.self, Book.self)
let context = container.viewContext
let author = try Author(context: context)
let book = try Book(context: context)
let url = URL(filePath: "Library.sqlite")
let folder = URL(filePath: "Stores", directoryHint: .isDirectory)
