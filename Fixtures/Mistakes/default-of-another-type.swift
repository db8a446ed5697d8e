import CairnMacros
@Entity final class Book: ManagedObject {
    var pages: Int = "many"
    var title: String? = 3
}
