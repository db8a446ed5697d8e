import CairnMacros
@Entity final class Book: ManagedObject {
    var author: Author
}
@Entity final class Author: ManagedObject {
    var name = ""
}
