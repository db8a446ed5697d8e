import CairnMacros

let paths: [PartialKeyPath<Book>] = [\.title]
@Entity final class Book: ManagedObject {
    #Unique<Author>([\.name])
    #Index<Book>(paths)
    var title = ""
}
@Entity final class Author: ManagedObject { var name = "" }
final class Hand: ManagedObject {
    @Managed var title: String?
    #Index<Hand>([\.title])
}
