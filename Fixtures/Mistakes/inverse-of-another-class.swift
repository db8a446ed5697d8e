import CairnMacros
@Entity final class Author: ManagedObject {
    @Relationship(inverse: \Book.title) var books: Members<Book>
}
@Entity final class Book: ManagedObject {
    var title = ""
    var editor: Author?
}
