import CairnMacros
@Entity final class Author: ManagedObject {
    var books: [Book]
}
@Entity final class Book: ManagedObject {
    var author: Author?
}
