import CairnMacros
@Entity final class Book {
    var title = ""
}
