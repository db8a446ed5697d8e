import Cairn

/// The program's own part of an author. `AuthorProperties`, with the model's properties, is written while
/// the package is built.
final class Author: AuthorProperties, ObjectValidating {
    /// The pages of all books.
    var pageCount: Int { books.reduce(0) { $0 + $1.pages } }

    func checkObject(for operation: SaveOperation) throws {
        if operation != .deletion, name.isEmpty { throw NamelessAuthor() }
    }

    struct NamelessAuthor: Error, CustomStringConvertible {
        let description = "An author needs a name."
    }
}
