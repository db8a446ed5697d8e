import CairnMacros
@Entity class Work: ManagedObject {
    var title = ""
}
@Entity final class Book: Work {
    var title = ""
}
