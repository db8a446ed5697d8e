import CairnMacros
enum Genre: String { case novel, poems }
@Entity final class Book: ManagedObject {
    var genre: Genre = .novel
}
