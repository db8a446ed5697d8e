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

    /// Two stored relationships of the old model that became each other's inverse, or one that became its own.
    package struct JoinedEnds: Sendable {
        /// One of the two relationships of the new model.
        package let relationship: Relationship
        /// The relationship of the old model that ``relationship`` continues.
        package let near: Relationship
        /// The relationship of the old model that the inverse of ``relationship`` continues.
        package let far: Relationship
    }

    /// Returns the relationships that became each other's inverse, each two of them once. There are several
    /// for one relationship of the new model if it was pulled up from several entities.
    package func joinedEnds() -> [JoinedEnds] {
        var found: [JoinedEnds] = []
        for case .relationship(let relationship) in new.entities.flatMap(\.ownProperties) {
            guard let inverse = relationship.inverse, !relationship.isTransient,
                (relationship.entity.name, relationship.name) <= (inverse.entity.name, inverse.name)
            else { continue }
            let nearEnds = storedOldRelationships(of: relationship)
            let farEnds = storedOldRelationships(of: inverse)
            for near in nearEnds {
                // Pulled up from several entities, each with its own inverse.
                if let former = near.inverse, farEnds.contains(former) { continue }
                for far in farEnds where !(far.inverse.map(nearEnds.contains) ?? false) {
                    found.append(JoinedEnds(relationship: relationship, near: near, far: far))
                }
            }
        }
        return found
    }

    /// Returns the stored relationships of the old model that a relationship of the new model continues.
    /// There are several if the relationship was pulled up from several entities.
    package func storedOldRelationships(of relationship: Relationship) -> [Relationship] {
        var found: [Relationship] = []
        for entity in relationship.entity.hierarchy {
            guard case .relationship(let old)? = oldProperty(named: relationship.name, of: entity),
                !old.isTransient, !found.contains(old)
            else { continue }
            found.append(old)
        }
        return found
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

/// Matches the parts of two versions of a model by name and renaming identifier.
///
/// A renaming identifier is either the name or the renaming identifier of the part in the previous
/// version: a part that is renamed twice may keep the identifier from the first time. A renaming
/// identifier takes precedence over a name.
struct RenameMatcher {
    /// The parts of an entity or a property that matching uses.
    struct Part: Hashable {
        let name: String
        let renamingIdentifier: String?
    }

    /// Why a new part is taken to continue an old one.
    private enum Reason { case identifier, name, formerIdentifier }

    /// The old name for each new name that continues an old part.
    private(set) var oldNames: [String: String] = [:]
    /// The new name for each old name that is continued.
    private(set) var newNames: [String: String] = [:]
    /// The old names that several new parts claim, with the names of these parts.
    private(set) var contested: [(old: String, claimants: [String])] = []

    private let old: Set<Part>
    private let names: Set<String>
    private let namesByIdentifier: [String: String]

    /// - Precondition: Names are unique on each side.
    init(old: [Part], new: [Part]) {
        self.old = Set(old)
        names = Set(old.map(\.name))
        namesByIdentifier = Dictionary(
            old.compactMap { part in part.renamingIdentifier.map { ($0, part.name) } },
            uniquingKeysWith: { first, _ in first })
        var claims: [String: [Reason: [String]]] = [:]
        for part in new {
            guard let (name, reason) = predecessor(of: part) else { continue }
            claims[name, default: [:]][reason, default: []].append(part.name)
        }
        for (name, claimants) in claims.sorted(by: { $0.key < $1.key }) {
            settle(name, claimants)
        }
    }

    private func predecessor(of part: Part) -> (name: String, Reason)? {
        if let identifier = part.renamingIdentifier, identifier != part.name {
            if old.contains(part) { return (part.name, .identifier) }
            if let name = namesByIdentifier[identifier] { return (name, .identifier) }
            if names.contains(identifier) { return (identifier, .identifier) }
        }
        if names.contains(part.name) { return (part.name, .name) }
        return namesByIdentifier[part.name].map { ($0, .formerIdentifier) }
    }

    private mutating func settle(_ name: String, _ claims: [Reason: [String]]) {
        let identified = (claims[.identifier] ?? []).sorted()
        let strong = identified + (claims[.name] ?? [])
        if strong.count > 1 { contested.append((name, strong.sorted())) }
        guard let winner = strong.first ?? claims[.formerIdentifier]?.min() else { return }
        oldNames[winner] = name
        newNames[name] = winner
    }
}

/// Pairs the properties of two versions of an entity.
struct PropertyMatching {
    let matcher: RenameMatcher
    private let old: [String: PropertyChange.Side]
    private let new: [String: PropertyChange.Side]

    init(old: [PropertyChange.Side], new: [PropertyChange.Side]) {
        func byName(_ sides: [PropertyChange.Side]) -> [String: PropertyChange.Side] {
            Dictionary(
                sides.map { ($0.property.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        func parts(_ sides: some Collection<PropertyChange.Side>) -> [RenameMatcher.Part] {
            sides.map {
                RenameMatcher.Part(
                    name: $0.property.name, renamingIdentifier: $0.property.renamingIdentifier)
            }
        }
        self.old = byName(old)
        self.new = byName(new)
        matcher = RenameMatcher(old: parts(self.old.values), new: parts(self.new.values))
    }

    /// Returns the properties that were added, removed or changed, sorted by name.
    ///
    /// - Parameter aspects: Compares the two versions of a property.
    func changes(
        aspects: (PropertyChange.Side, PropertyChange.Side) -> [PropertyAspect]
    ) -> [PropertyChange] {
        var changes: [PropertyChange] = []
        for (name, side) in new {
            guard let before = matcher.oldNames[name].flatMap({ old[$0] }) else {
                changes.append(PropertyChange(old: nil, new: side, aspects: []))
                continue
            }
            let differing = aspects(before, side)
            if !differing.isEmpty {
                changes.append(PropertyChange(old: before, new: side, aspects: differing))
            }
        }
        for (name, side) in old where matcher.newNames[name] == nil {
            changes.append(PropertyChange(old: side, new: nil, aspects: []))
        }
        return changes.sorted { left, right in
            // A removed and an added property have the same name if a rename is contested.
            left.name == right.name
                ? left.new == nil && right.new != nil
                : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
    }
}

extension PropertyDescription {
    /// The property's name in the previous version of the model, or `nil` if it was not renamed.
    var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        case .fetchedProperty(let fetched): fetched.renamingIdentifier
        }
    }
}
