import CairnMacros
@Entity final class Book: ManagedObject {
    let title: String
}
