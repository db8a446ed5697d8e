/// Finds parts of a model that are valid but are probably mistakes. Its warnings are modelled on those of
/// Xcode's model editor.
package struct ModelLinter: Sendable {
    private let model: ManagedObjectModel

    /// Creates a linter. The model is not checked until ``warnings()`` is called.
    package init(_ model: ManagedObjectModel) { self.model = model }

    /// Returns the warnings, sorted by entity name and then by property name. Warnings about composites and
    /// fetch requests come last.
    package func warnings() -> [ModelWarning] {
        let entities = model.entities.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        let exchanges = exchanges()
        let elements = model.description.composites.flatMap { composite in
            composite.elements.flatMap { element in
                element.unreadableValueWarnings(in: composite.name)
                    + Self.warnings(exchanges, of: element.name, in: composite.name)
            }
        }
        return entities.flatMap { warnings(of: $0, exchanges) } + elements + requestWarnings()
    }

    // MARK: Entities

    private func warnings(of entity: Entity, _ exchanges: [InferenceFinding]) -> [ModelWarning] {
        func warning(_ kind: ModelWarning.Kind, _ detail: String) -> ModelWarning {
            ModelWarning(kind: kind, entity: entity.name, property: nil, detail: detail)
        }
        var warnings: [ModelWarning] = []
        if entity.isAbstract, entity.subentities.isEmpty {
            warnings.append(
                warning(
                    .abstractWithoutSubentities,
                    "it is abstract and has no subentities, so it can never have objects"))
        }
        if entity.properties.isEmpty {
            warnings.append(warning(.noProperties, "it has no properties"))
        }
        if !SwiftName.isType(entity.name) {
            warnings.append(
                warning(
                    .invalidSwiftName,
                    "a Swift class cannot have this name; begin it with an upper-case letter and use"
                        + " only letters and digits"))
        }
        warnings += Self.warnings(exchanges, of: nil, in: entity.name)
        if !entity.description.compoundIndexes.isEmpty {
            warnings.append(
                warning(.legacyIndex, "it has compound indexes; use fetch indexes instead"))
        }
        for property in entity.ownProperties {
            switch property {
            case .attribute(let attribute): warnings += AttributeLinter(attribute).warnings()
            case .relationship(let it): warnings += RelationshipLinter(it).warnings()
            case .fetchedProperty: break
            }
            warnings += nameWarnings(of: property.name, in: entity)
            warnings += Self.warnings(exchanges, of: property.name, in: entity.name)
        }
        return warnings
    }

    private func nameWarnings(of name: String, in entity: Entity) -> [ModelWarning] {
        if SwiftName.isReserved(name) {
            return [
                ModelWarning(
                    kind: .reservedName, entity: entity.name, property: name,
                    detail: "managed objects already have a property with this name; choose another"
                        + " name")
            ]
        }
        guard !SwiftName.isProperty(name) else { return [] }
        return [
            ModelWarning(
                kind: .invalidSwiftName, entity: entity.name, property: name,
                detail:
                    "a Swift property cannot have this name; begin it with a lower-case letter and use"
                    + " only letters and digits")
        ]
    }

    // MARK: Exchanged names

    /// Returns the entities and properties that exchange their names by renaming identifiers, if the version
    /// hashes do not show it.
    ///
    /// The previous version is unknown. Its parts are assumed to have had the renaming identifiers as their
    /// names, and no hash modifiers.
    private func exchanges() -> [InferenceFinding] {
        let entities = Self.exchanged(
            model.description.entities.map { ($0.name, $0.renamingIdentifier) })
        let properties = model.description.entities.reduce(into: [String: [String: String]]()) {
            $0[$1.name] = Self.exchanged($1.properties.map { ($0.name, $0.renamingIdentifier) })
        }
        let elements = model.description.composites.reduce(into: [String: [String: String]]()) {
            $0[$1.name] = Self.exchanged($1.elements.map { ($0.name, $0.renamingIdentifier) })
        }
        let exchanged = [entities] + properties.values + elements.values
        guard exchanged.contains(where: { !$0.isEmpty }) else { return [] }
        var previous = model.description
        previous.composites = previous.composites.map { composite in
            var before = composite
            before.elements = composite.elements.map {
                self.previous($0, named: elements[composite.name]?[$0.name])
            }
            return before
        }
        previous.fetchRequestTemplates = [:]
        previous.configurations = [:]
        previous.entities = previous.entities.map { entity in
            var before = entity
            let names = properties[entity.name] ?? [:]
            before.name = entities[entity.name] ?? entity.name
            before.superentity = entity.superentity.map { entities[$0] ?? $0 }
            before.renamingIdentifier = nil
            if before.name != entity.name || !names.isEmpty { before.versionHashModifier = nil }
            before.properties = entity.properties.map { property in
                self.previous(property, named: names[property.name], entities, properties)
            }
            return before
        }
        guard let old = try? ManagedObjectModel(previous) else { return [] }
        return ModelChanges(from: old, to: model).unnoticedRenames
    }

    private func previous(
        _ attribute: AttributeDescription, named name: String?
    ) -> AttributeDescription {
        var before = attribute
        before.renamingIdentifier = nil
        if let name { (before.name, before.versionHashModifier) = (name, nil) }
        return before
    }

    private func previous(
        _ property: PropertyDescription, named name: String?, _ entities: [String: String],
        _ properties: [String: [String: String]]
    ) -> PropertyDescription {
        switch property {
        case .attribute(let it): return .attribute(previous(it, named: name))
        case .relationship(var it):
            it.renamingIdentifier = nil
            if let name { (it.name, it.versionHashModifier) = (name, nil) }
            if let inverse = it.inverse,
                let far = model.entity(named: it.destination)?.relationship(named: inverse)
            {
                it.inverse = properties[far.entity.name]?[inverse] ?? inverse
            }
            it.destination = entities[it.destination] ?? it.destination
            return .relationship(it)
        case .fetchedProperty: return property
        }
    }

    /// Returns the former name of each part that takes the name of another part, which does the same, until
    /// the last of them takes the name of the first.
    private static func exchanged(
        _ parts: [(name: String, identifier: String?)]
    ) -> [String: String] {
        let identifiers = Dictionary(
            parts.compactMap { part in part.identifier.map { (part.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        return identifiers.filter { name, identifier in
            var current: String? = identifier
            var remaining = identifiers.count
            while let next = current, next != name, remaining > 0 {
                (current, remaining) = (identifiers[next], remaining - 1)
            }
            return identifier != name && current == name
        }
    }

    /// - Parameters:
    ///   - property: The property or the element, or `nil` for the owner itself.
    ///   - owner: The name of the entity or of the composite.
    private static func warnings(
        _ exchanges: [InferenceFinding], of property: String?, in owner: String
    ) -> [ModelWarning] {
        exchanges.filter { ($0.entity, $0.property) == (owner, property) }.map { _ in
            ModelWarning(
                kind: .unnoticedRename, entity: owner, property: property,
                detail:
                    "its renaming identifier exchanges names, which the version hashes do not show, so"
                    + " stores are opened without a migration, and the values stay under their old names;"
                    + " give it a hash modifier (versionHashModifier)")
        }
    }

    // MARK: Fetch requests

    private func requestWarnings() -> [ModelWarning] {
        model.description.fetchRequestTemplates.sorted { $0.key < $1.key }.compactMap {
            name, template in
            guard case .unreadable(_, let reason)? = template.condition else { return nil }
            return ModelWarning(
                kind: .unreadablePredicate, entity: "", property: nil,
                detail: "the predicate of the fetch request “\(name)” cannot be read: \(reason)")
        }
    }
}

/// A warning about something in a model that is valid but is probably a mistake.
package struct ModelWarning: Sendable, Hashable {
    /// The kinds of warnings.
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// A relationship without an inverse. It is left dangling when its destination is deleted.
        case noInverse
        /// A relationship whose delete rule is `noAction`.
        case noActionDeleteRule
        /// A required relationship whose inverse is also required, so neither object can be saved without
        /// the other.
        case mutuallyRequired
        /// A relationship that cascades deletion in both directions.
        case mutualCascade
        /// A transformable attribute without the name of a transformer.
        case noTransformer
        /// A default value that the attribute's own validation rules refuse.
        case invalidDefault
        /// A default value or a bound in a source model that is not a value of the attribute's type. It has
        /// no effect.
        case unreadableValue
        /// An attribute whose minimum is greater than its maximum.
        case emptyRange
        /// An abstract entity without subentities, which can never have objects.
        case abstractWithoutSubentities
        /// An entity without properties.
        case noProperties
        /// A name that is not valid for a class or property in Swift.
        case invalidSwiftName
        /// A name that managed objects already use for something else.
        case reservedName
        /// An index in the older form that fetch indexes replace.
        case legacyIndex
        /// Renaming identifiers that exchange names without a hash modifier, so that no store is migrated.
        case unnoticedRename
        /// A fetch request whose predicate cannot be read.
        case unreadablePredicate
    }

    /// The kind of the warning.
    package var kind: Kind
    /// The name of the entity or of the composite, or an empty string for a warning about the model itself.
    package var entity: String
    /// The name of the property, or `nil` for a warning about the entity itself.
    package var property: String?
    /// A clause without a full stop that says what is wrong and what to do.
    package var detail: String
}

extension ModelWarning: CustomStringConvertible {
    /// The entity, the property and the detail in one line.
    package var description: String {
        entity + (property.map { ".\($0)" } ?? "") + (entity.isEmpty ? "" : ": ") + detail
    }
}

/// Finds likely mistakes in the declaration of a relationship.
struct RelationshipLinter {
    private let relationship: Relationship

    init(_ relationship: Relationship) { self.relationship = relationship }

    func warnings() -> [ModelWarning] {
        guard !relationship.isTransient else { return [] }
        var warnings: [ModelWarning] = []
        func warn(_ kind: ModelWarning.Kind, _ detail: String) {
            warnings.append(
                ModelWarning(
                    kind: kind, entity: relationship.entity.name, property: relationship.name,
                    detail: detail))
        }
        let inverse = relationship.inverse
        if inverse == nil {
            warn(
                .noInverse,
                "it has no inverse, so it still leads to an object that was deleted"
                    + (relationship.isToMany
                        ? ", and Core Data cannot read its members in a SQLite store that Cairn"
                            + " created" : "") + "; add an inverse"
            )
        }
        if relationship.deleteRule == .noAction {
            warn(
                .noActionDeleteRule,
                "its delete rule does nothing, so its destinations lead to a deleted object; use"
                    + " nullify")
        }
        guard let inverse, isFirst(of: inverse) else { return warnings }
        if relationship.description.isRequired, inverse.description.isRequired {
            warn(
                .mutuallyRequired,
                "it and its inverse are required, so neither object can be saved without the other")
        }
        if relationship.deleteRule == .cascade, inverse.deleteRule == .cascade {
            warn(
                .mutualCascade,
                "it and its inverse cascade, so deleting one object deletes all that are connected")
        }
        return warnings
    }

    /// Whether a warning about both ends is reported for this end instead of for the inverse.
    private func isFirst(of inverse: Relationship) -> Bool {
        (relationship.entity.name, relationship.name) <= (inverse.entity.name, inverse.name)
    }
}

/// Checks how names of a model can be used in generated Swift code.
package enum SwiftName {
    /// The names of the properties of all managed objects, which a class of an entity cannot have once more. A
    /// test compares them with the source code.
    package static let members: Set<String> = [
        "description", "entity", "hasChanges", "hasPersistentChangedValues", "hashValue",
        "isDeleted",
        "isFault", "isInserted", "isUpdated", "managedObjectContext", "objectID",
        "_predicateExpression", "rowVersion",
    ]

    /// Other names that Core Data's objects or the language reserve.
    private static let reservedElsewhere: Set<String> = [
        "debugDescription", "hash", "superclass", "faultingState", "init", "class", "self",
        "context", "zone", "isProxy", "validate",
    ]

    /// Whether a property with this name would hide a property of all managed objects.
    static func isReserved(_ name: String) -> Bool {
        members.contains(name) || reservedElsewhere.contains(name)
    }

    /// Whether a class may have this name. As in Xcode, it must not begin with a lower-case letter.
    static func isType(_ name: String) -> Bool {
        isIdentifier(name) && name.first.map { !$0.isLowercase } ?? false
    }

    /// Whether a property may have this name. As in Xcode, it must not begin with an upper-case letter.
    static func isProperty(_ name: String) -> Bool {
        isIdentifier(name) && name.first.map { !$0.isUppercase } ?? false
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
