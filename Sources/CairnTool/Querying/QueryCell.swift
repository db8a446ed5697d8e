import Cairn

/// What a query prints of an object in one column.
enum QueryCell {
    /// A value; a to-one relationship's destination is one, too.
    case value(Value)
    /// The members of a to-many relationship: how many there are, and the first of them.
    case members(count: Int, first: [ObjectID])
}
