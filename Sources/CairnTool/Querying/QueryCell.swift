import Cairn

/// The content of one column for one object.
enum QueryCell {
    /// A value, or the ID of a to-one relationship's destination.
    case value(Value)
    /// The number of members of a to-many relationship, and the IDs of the first members.
    case members(count: Int, first: [ObjectID])
}
