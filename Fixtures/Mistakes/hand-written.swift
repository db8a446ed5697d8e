import Cairn

struct Colour {}
final class Author: ManagedObject {
    @Managed var colour: Colour?
    @Managed var books: [Author]
    @Managed var pupils: Set<Author>
    @Managed var mentor: Author
    @Managed var first: String = "a"
}
