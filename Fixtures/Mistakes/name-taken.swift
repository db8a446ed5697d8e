import CairnMacros
@Entity final class Book: ManagedObject {
    var objectID: String
    var isDeleted = false
    var context = ""
}
