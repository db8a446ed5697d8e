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
