/// A few objects of an entity, prepared for display.
struct EntitySample {
    /// The displayed value of an object's property.
    enum Cell: Equatable {
        case missing
        /// A text, shortened to one line. `count` is the number of the text's Unicode scalars if it is longer.
        case text(String, count: Int?)
        case number(String)
        case word(String)
        /// The name of an object.
        case object(String, entity: String)
        /// The number of members of a to-many relationship.
        case members(Int)
        /// Bytes: their number, the first of them, and their format if the first bytes reveal it.
        case bytes(count: Int, beginning: String, kind: String?)
        /// The reason why the value cannot be read.
        case unreadable(String)
    }

    struct Object {
        let name: String
        /// The values, in the order of ``EntitySample/properties``.
        let cells: [Cell]
    }

    /// The names of the stored properties.
    var properties: [String] = []
    var objects: [Object] = []
    /// The reason why some objects could not be read. `nil` if all of them could be read.
    var failure: String?
}
