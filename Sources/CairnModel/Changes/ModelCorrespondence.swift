/// The correspondence between the entities and properties of two versions of a model.
///
/// Entities and properties correspond if their names are equal, or if a renaming identifier says so.
/// Properties are matched for each entity, including inherited ones. A property that moved to a
/// superentity therefore still corresponds for each subentity that had it.
package struct ModelCorrespondence: Sendable {
    /// The earlier version.
    package let old: ManagedObjectModel
    /// The later version.
    package let new: ManagedObjectModel
    private let entities: RenameMatcher
    /// Matches the properties of each entity that continues one of the old model. The key is the entity's
    /// number in the new model.
    private let properties: [EntityNumber: RenameMatcher]

    /// Matches two versions of a model.
    ///
    /// Takes time proportional to the number of properties. A property that several entities inherit counts
    /// once for each of them.
    package init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
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

    /// Returns the entity of the old model that corresponds to an entity of the new model, or `nil` if the
    /// entity was added.
    package func oldEntity(of entity: Entity) -> Entity? {
        entities.oldNames[entity.name].flatMap(old.entity)
    }

    /// Returns the entity of the new model that corresponds to an entity of the old model, or `nil` if the
    /// entity was removed.
    package func newEntity(of entity: Entity) -> Entity? {
        entities.newNames[entity.name].flatMap(new.entity)
    }

    /// Returns the property of the old model that corresponds to a property of an entity of the new model.
    ///
    /// Returns `nil` if the entity or the property was added.
    ///
    /// - Parameters:
    ///   - name: The name of the property, which the entity may inherit.
    ///   - entity: An entity of the new model.
    package func oldProperty(named name: String, of entity: Entity) -> Property? {
        guard let oldName = properties[entity.number]?.oldNames[name] else { return nil }
        return oldEntity(of: entity)?.property(named: oldName)
    }

    /// Returns the property of the new model that corresponds to a property of an entity of the old model.
    ///
    /// Returns `nil` if the entity or the property was removed.
    ///
    /// - Parameters:
    ///   - name: The name of the property, which the entity may inherit.
    ///   - entity: An entity of the old model.
    package func newProperty(named name: String, of entity: Entity) -> Property? {
        guard let continued = newEntity(of: entity),
            let newName = properties[continued.number]?.newNames[name]
        else { return nil }
        return continued.property(named: newName)
    }

    /// Returns the entities of the old model whose objects could be destinations of a relationship and no
    /// longer can, because the entities were removed or left the hierarchy of the destination.
    ///
    /// - Parameters:
    ///   - relationship: A relationship of the new model.
    ///   - before: The corresponding relationship of the old model.
    package func lostDestinations(
        of relationship: Relationship, continuing before: Relationship
    ) -> [Entity] {
        before.destination.hierarchy.filter { entity in
            !(newEntity(of: entity)?.isKind(of: relationship.destination) ?? false)
        }
    }

    /// Returns the element of a composite in the old model that corresponds to an element of a composite in
    /// the new model, or `nil` if the element was added.
    ///
    /// - Parameters:
    ///   - element: An element of `new`.
    ///   - new: A composite of the new model.
    ///   - old: The corresponding composite of the old model.
    package func oldElement(
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
    /// The names and renaming identifiers of the properties, including inherited ones.
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
