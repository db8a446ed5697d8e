import CairnMacros
@Entity final class Author: ManagedObject {
    @Relationship(inverse: "author") var books: Members<Book>
}
@Entity final class Book: ManagedObject {
    var author: Author?
}
