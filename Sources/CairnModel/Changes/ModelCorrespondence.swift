/// Which entities and properties of two versions of a model are the same.
///
/// Entities and properties are the same if their names are equal, or if a renaming identifier says
/// so. Properties are matched for each entity, inherited ones included: a property that moved to a
/// superentity is the same for each subentity that had it.
public struct ModelCorrespondence: Sendable {
    /// The earlier version.
    public let old: ManagedObjectModel
    /// The later version.
    public let new: ManagedObjectModel
    private let entities: RenameMatcher
    /// The properties of each entity that continues one of the old model, by its number in the new
    /// model.
    private let properties: [EntityNumber: RenameMatcher]

    /// Matches two versions of a model.
    ///
    /// The time is proportional to the number of properties. A property that several entities inherit
    /// counts once for each of them.
    public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self.old = old
        self.new = new
        let comparison = ModelComparison(from: old, to: new)
        entities = comparison.matcher
        var properties: [EntityNumber: RenameMatcher] = [:]
        for entity in new.entities {
            guard let before = comparison.matcher.oldNames[entity.name].flatMap(old.entity)
            else { continue }
            properties[entity.number] = RenameMatcher(
                old: before.matchingParts, new: entity.matchingParts)
        }
        self.properties = properties
    }

    /// Returns the entity of the old model that an entity of the new model continues. Returns `nil`
    /// if the entity was added.
    public func oldEntity(of entity: Entity) -> Entity? {
        entities.oldNames[entity.name].flatMap(old.entity)
    }

    /// Returns the entity of the new model that continues an entity of the old model. Returns `nil` if
    /// the entity was removed.
    public func newEntity(of entity: Entity) -> Entity? {
        entities.newNames[entity.name].flatMap(new.entity)
    }

    /// Returns what a property of an entity of the new model was called in the old model, and was
    /// there.
    ///
    /// Returns `nil` if the entity or the property was added.
    ///
    /// - Parameters:
    ///   - name: the name of the property, which the entity may inherit.
    ///   - entity: an entity of the new model.
    public func oldProperty(named name: String, of entity: Entity) -> Property? {
        guard let oldName = properties[entity.number]?.oldNames[name] else { return nil }
        return oldEntity(of: entity)?.property(named: oldName)
    }

    /// Returns the property of the new model that continues a property of an entity of the old model.
    ///
    /// Returns `nil` if the entity or the property was removed.
    ///
    /// - Parameters:
    ///   - name: the name of the property, which the entity may inherit.
    ///   - entity: an entity of the old model.
    public func newProperty(named name: String, of entity: Entity) -> Property? {
        guard let continued = newEntity(of: entity),
            let newName = properties[continued.number]?.newNames[name]
        else { return nil }
        return continued.property(named: newName)
    }

    /// Returns the entities of the old model whose objects were destinations of a relationship, and
    /// no longer count: they were removed, or have left the hierarchy of the destination.
    ///
    /// - Parameters:
    ///   - relationship: a relationship of the new model.
    ///   - before: the relationship of the old model that it continues.
    package func lostDestinations(
        of relationship: Relationship, continuing before: Relationship
    ) -> [Entity] {
        before.destination.hierarchy.filter { entity in
            !(newEntity(of: entity)?.isKind(of: relationship.destination) ?? false)
        }
    }

    /// Returns the element of a composite that an element of the composite which continues it
    /// continues. Returns `nil` if the element was added.
    public func oldElement(
        of element: AttributeDescription, in new: CompositeDescription,
        from old: CompositeDescription
    ) -> AttributeDescription? {
        let matcher = RenameMatcher(old: old.matchingParts, new: new.matchingParts)
        guard let name = matcher.oldNames[element.name] else { return nil }
        return old.elements.first { $0.name == name }
    }
}

extension CompositeDescription {
    fileprivate var matchingParts: [RenameMatcher.Part] {
        elements.map {
            RenameMatcher.Part(name: $0.name, renamingIdentifier: $0.renamingIdentifier)
        }
    }
}

extension Entity {
    /// What matching has to know of the properties, inherited ones included.
    var matchingParts: [RenameMatcher.Part] {
        properties.map { property in
            let identifier =
                switch property {
                case .attribute(let it): it.description.renamingIdentifier
                case .relationship(let it): it.description.renamingIdentifier
                case .fetchedProperty(let it): it.description.renamingIdentifier
                }
            return RenameMatcher.Part(name: property.name, renamingIdentifier: identifier)
        }
    }
}
