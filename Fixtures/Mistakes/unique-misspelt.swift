import CairnMacros
@Entity final class Book: ManagedObject {
    #Unique<Book>([\.titel])
    var title = ""
}
