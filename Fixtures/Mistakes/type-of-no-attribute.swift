import CairnMacros
struct Colour { var red = 0 }
@Entity final class Author: ManagedObject {
    var colour: Colour
    var other: Colour?
}
