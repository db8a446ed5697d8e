import CairnMacros
@Entity final class Author: ManagedObject {
    var name = ""
    @FetchedProperty("name == $FETCH_SOURCE.name") var twins: Members<Author>
}
struct Place {
    @FetchedProperty("name == 'a'") var authors: [Author]
}
