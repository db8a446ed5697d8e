/// Where a property is declared: the entity, and its index among that entity's own ones.
struct PropertyPlace: Sendable, Hashable {
    var entity: EntityNumber
    var index: Int
}
