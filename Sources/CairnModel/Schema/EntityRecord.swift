/// The compiled data of an entity, which is accessed through ``Entity``.
struct EntityRecord: Sendable {
    /// The description, with the entity's own properties sorted by the UTF-8 bytes of their names.
    var description: EntityDescription
    var number: EntityNumber
    var superentity: EntityNumber?
    var root: EntityNumber
    /// The direct subentities, in the order of their numbers.
    var subentities: [EntityNumber] = []
    /// The number after that of the last subentity. The hierarchy is `number..<end`.
    var end: EntityNumber
    /// The storage of each own property, in the order of `description.properties`.
    var storage: [PropertyStorage] = []
    /// The numbers of row slots and object slots, including those of inherited properties.
    var rowSlotCount = 0
    var objectSlotCount = 0
    /// Whether one of the attributes, including inherited ones, is derived.
    var hasDerivedAttributes = false
    /// Whether one of the attributes, including inherited ones, is derived or a composite, so that the formula
    /// of the version hash is not known.
    var hasUnprovenHash = false
    /// The declaration of each property by name, including inherited properties.
    var declarations: [String: PropertyDeclaration] = [:]
    var versionHash = VersionHash([])
    var isVersionHashExact = true
}
