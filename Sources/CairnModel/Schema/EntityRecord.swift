/// What a compiled model keeps of an entity; ``Entity`` is the handle through which it is read.
struct EntityRecord: Sendable {
    /// As declared, its own properties sorted by name in code units.
    var description: EntityDescription
    var number: EntityNumber
    var superentity: EntityNumber?
    var root: EntityNumber
    /// Direct subentities in the order of their numbers.
    var subentities: [EntityNumber] = []
    /// The number after the last entity below this one: the hierarchy is `number..<end`.
    var end: EntityNumber
    /// Where each own property is kept, in the order of `description.properties`.
    var storage: [PropertyStorage] = []
    /// How many row slots and object slots the entity has, inherited ones included.
    var rowSlotCount = 0
    var objectSlotCount = 0
    /// Whether a property is a derived attribute, inherited ones included.
    var hasDerivedAttributes = false
    /// The declaration of each property by name, inherited ones included.
    var declarations: [String: PropertyDeclaration] = [:]
    var versionHash = VersionHash([])
    var isVersionHashExact = true
}
