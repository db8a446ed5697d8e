/// The slot in which the value of a property is stored.
///
/// An inherited property has the same slot in every subentity. The superentity's slots come first. They
/// are followed by those of the entity's own properties, sorted by the UTF-8 bytes of their names.
package enum PropertyStorage: Sendable, Hashable {
    /// A slot in the packed row, for persistent attributes and to-one relationships.
    case row(slot: Int)
    /// A slot that exists only in the object, for to-many relationships and transient properties.
    case object(slot: Int)
    /// No slot, for fetched properties.
    case none
}
