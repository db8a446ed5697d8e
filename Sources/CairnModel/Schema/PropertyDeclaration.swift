/// The entity that declares a property, and the index of the property among that entity's own
/// properties.
struct PropertyDeclaration: Sendable, Hashable {
    var entity: EntityNumber
    var index: Int
}
