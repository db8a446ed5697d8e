import CairnMacros
@Entity final class Author: ManagedObject {
    var names: Members<String>
}
