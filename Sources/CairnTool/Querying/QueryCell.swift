import Cairn

/// The content of one column for one object of a query.
enum QueryCell {
    /// A value, or the destination of a to-one relationship.
    case value(Value)
    /// The members of a to-many relationship: their number, and the first of them.
    case members(count: Int, first: [ObjectID])
}
