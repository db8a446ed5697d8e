/// A few objects of an entity, as they are shown.
struct EntitySample {
    /// What is shown of a property of an object.
    enum Cell: Equatable {
        case missing
        /// A text, shortened to one line. `count` is the number of the text's Unicode scalars if it is longer.
        case text(String, count: Int?)
        case number(String)
        case word(String)
        /// The name of an object.
        case object(String, entity: String)
        /// How many members a to-many relationship has.
        case members(Int)
        /// Bytes: how many, what they begin with, and what they are if that shows it.
        case bytes(count: Int, beginning: String, kind: String?)
        /// Why the value cannot be read.
        case unreadable(String)
    }

    struct Object {
        let name: String
        /// In the order of ``EntitySample/properties``.
        let cells: [Cell]
    }

    /// The names of the stored properties.
    var properties: [String] = []
    var objects: [Object] = []
    /// Why not all of the objects could be read. `nil` if they could.
    var failure: String?
}
