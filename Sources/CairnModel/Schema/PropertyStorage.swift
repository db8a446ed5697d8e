/// Where the value of a property is kept.
///
/// Numbers of inherited properties are the same in every subentity: a superentity's slots come
/// first, then own ones by name in code units.
public enum PropertyStorage: Sendable, Hashable {
    /// A slot of the packed row: persistent attributes and to-one relationships.
    case row(slot: Int)
    /// A slot that only the object has: to-many relationships and transient properties.
    case object(slot: Int)
    /// Nowhere: fetched properties.
    case none
}
