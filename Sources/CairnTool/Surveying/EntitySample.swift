/// A few objects of an entity, ready for display.
struct EntitySample {
    /// The displayed value of a property of an object.
    enum Cell: Equatable {
        case missing
        /// A text, shortened to one line. If the text is longer than the line, `count` is its number of
        /// Unicode scalars.
        case text(String, count: Int?)
        case number(String)
        case word(String)
        /// The name of an object.
        case object(String, entity: String)
        /// The number of members of a to-many relationship.
        case members(Int)
        /// Bytes: their number, the first of them, and their kind if the first bytes show it.
        case bytes(count: Int, beginning: String, kind: String?)
        /// A value that cannot be read, with the reason.
        case unreadable(String)
    }

    struct Object {
        let name: String
        /// The cells, in the order of ``EntitySample/properties``.
        let cells: [Cell]
    }

    /// The names of the stored properties.
    var properties: [String] = []
    var objects: [Object] = []
    /// The reason that some objects could not be read. `nil` if all were read.
    var failure: String?
}
