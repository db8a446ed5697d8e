/// Finds parts of a model that are valid but are probably mistakes. Its warnings are modelled on those of
/// Xcode's model editor.
public struct ModelLinter: Sendable {
    private let model: ManagedObjectModel

    /// Creates a linter. The model is not checked until ``warnings()`` is called.
    public init(_ model: ManagedObjectModel) { self.model = model }

    /// Returns the warnings, sorted by entity name and then by property name. Warnings about composites and
    /// fetch requests come last.
    public func warnings() -> [ModelWarning] {
        let entities = model.entities.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        let elements = model.description.composites.flatMap { composite in
            composite.elements.flatMap { $0.unreadableValueWarnings(in: composite.name) }
        }
        return entities.flatMap(warnings) + elements + requestWarnings()
    }

    // MARK: Entities

    private func warnings(of entity: Entity) -> [ModelWarning] {
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
