import CairnMacros
@Entity final class Author: ManagedObject {
    var books: Set<Book>
}
@Entity final class Book: ManagedObject {
    var author: Author?
}
