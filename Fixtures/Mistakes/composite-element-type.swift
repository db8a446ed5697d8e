import CairnMacros
struct Colour {}
@Composite struct Place { var colour: Colour; var towns: Members<Author> }
@Entity final class Author: ManagedObject { var name = "" }
