/// Finds all problems in a model description.
struct ModelChecker {
    private let description: ModelDescription
    private let entities: [String: EntityDescription]
    private let composites: Set<String>

    init(_ description: ModelDescription) {
        self.description = description
        entities = Dictionary(
            description.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        composites = Set(description.composites.map(\.name))
    }

    /// Returns the problems in the order of the description. Empty if the description is valid.
    func problems() -> [ModelProblem] {
        var problems = modelProblems()
        for entity in description.entities { problems += self.problems(of: entity) }
        for composite in description.composites { problems += self.problems(of: composite) }
        for (name, members) in description.configurations.sorted(by: { $0.key < $1.key }) {
            for member in members where entities[member] == nil {
                problems.append(
                    ModelProblem(
                        .unknownConfigurationEntity,
                        "the configuration “\(name)” contains the unknown entity “\(member)”"))
            }
        }
        for (name, template) in description.fetchRequestTemplates.sorted(by: { $0.key < $1.key })
        where entities[template.entity] == nil {
            problems.append(
                ModelProblem(
                    .unknownTemplateEntity,
                    "the fetch request template “\(name)” fetches the unknown entity"
                        + " “\(template.entity)”"))
        }
        return problems
    }

    private func modelProblems() -> [ModelProblem] {
        var problems: [ModelProblem] = []
        // Entity numbers have 16 bits. 0 is not used, and `end` is one more than the last number.
        if description.entities.count > Int(UInt16.max) - 1 {
            problems.append(
                ModelProblem(
                    .tooManyEntities,
                    "the model has \(description.entities.count) entities, but at most 65534 are allowed"
                ))
        }
        var seen = Set<String>()
        for entity in description.entities where !seen.insert(entity.name).inserted {
            problems.append(
                ModelProblem(
                    .duplicateEntity, entity: entity.name, "two entities have this name"))
        }
        return problems + compositeNameProblems()
    }

    private func compositeNameProblems() -> [ModelProblem] {
        var seen = Set<String>()
        return description.composites.compactMap { composite in
            if composite.name.isEmpty {
                return ModelProblem(.emptyName, "a composite has no name")
            }
            if seen.insert(composite.name).inserted { return nil }
            return ModelProblem(
                .duplicateComposite, entity: composite.name, "two composites have this name")
        }
    }

    private func problems(of entity: EntityDescription) -> [ModelProblem] {
        var problems: [ModelProblem] = []
        func report(_ kind: ModelProblem.Kind, _ property: String? = nil, _ detail: String) {
            problems.append(
                ModelProblem(kind, entity: entity.name, property: property, detail))
        }
        if entity.name.isEmpty { report(.emptyName, nil, "an entity has no name") }
        // SQLite, like every C library, ends a name at this character.
        for name in [entity.name] + entity.properties.map(\.name) where name.contains("\0") {
            report(.unusableName, name, "the name contains the character U+0000")
        }
        if let superentity = entity.superentity {
            if entities[superentity] == nil {
                report(.unknownSuperentity, nil, "its superentity “\(superentity)” is unknown")
            }
        }
        guard let inherited = ancestors(of: entity) else {
            report(.inheritanceCycle, nil, "it inherits from itself")
            return problems
        }
        var seen = Set(inherited.flatMap { $0.properties.map(\.name) })
        // Slot numbers have 16 bits.
        let propertyCount = seen.count + entity.properties.count
        if propertyCount > Int(UInt16.max) {
            report(
                .tooManyProperties, nil,
                "it has \(propertyCount) properties, but at most \(UInt16.max) are allowed")
        }
        for property in entity.properties {
            if property.name.isEmpty { report(.emptyName, "", "a property has no name") }
            if !seen.insert(property.name).inserted {
                report(.duplicateProperty, property.name, "the name is declared twice")
            }
            problems += self.problems(of: property, in: entity)
        }
        problems += nameProblems(of: entity, known: seen)
        return problems
    }

    /// Returns problems with constraints and indexes, such as references to unknown properties.
    private func nameProblems(
        of entity: EntityDescription, known: Set<String>
    ) -> [ModelProblem] {
        var problems: [ModelProblem] = []
        // A constraint or an index may contain a path into a composite, such as "address.city".
        func isKnown(_ name: String) -> Bool {
            known.contains(name) || known.contains(String(name.prefix { $0 != "." }))
        }
        for constraint in entity.uniquenessConstraints where constraint.isEmpty {
            problems.append(
                ModelProblem(
                    .emptyConstraint, entity: entity.name,
                    "a uniqueness constraint contains no property"))
        }
        for name in entity.uniquenessConstraints.joined() where !isKnown(name) {
            problems.append(
                ModelProblem(
                    .unknownConstraintProperty, entity: entity.name, property: name,
                    "a uniqueness constraint contains this property, which the entity does not have"
                ))
        }
        let indexed = entity.fetchIndexes.flatMap { index in
            index.elements.compactMap {
                if case .property(let name) = $0.target { name } else { nil as String? }
            }
        }
        // Indexes in the older form are not checked, because their names may be those of expressions.
        for name in indexed where !isKnown(name) {
            problems.append(
                ModelProblem(
                    .unknownIndexProperty, entity: entity.name, property: name,
                    "an index contains this property, which the entity does not have"))
        }
        return problems
    }

    /// Returns the entities that an entity inherits from, nearest first, or `nil` if they form a cycle.
    private func ancestors(of entity: EntityDescription) -> [EntityDescription]? {
        var ancestors: [EntityDescription] = []
        var seen: Set<String> = [entity.name]
        var next = entity.superentity
        while let name = next, let ancestor = entities[name] {
            guard seen.insert(name).inserted else { return nil }
            ancestors.append(ancestor)
            next = ancestor.superentity
        }
        return ancestors
    }

    private func problems(
        of property: PropertyDescription, in entity: EntityDescription
    ) -> [ModelProblem] {
        switch property {
        case .attribute(let attribute):
            problems(of: attribute, in: entity.name)
                + referenceProblems(of: attribute, in: entity.name)
        case .relationship(let relationship): problems(of: relationship, in: entity)
        case .fetchedProperty(let fetched):
            entities[fetched.template.entity] != nil
                ? []
                : [
                    ModelProblem(
                        .unknownTemplateEntity, entity: entity.name, property: fetched.name,
                        "it fetches the unknown entity “\(fetched.template.entity)”")
                ]
        }
    }

    private func problems(
        of attribute: AttributeDescription, in owner: String
    ) -> [ModelProblem] {
        var problems: [ModelProblem] = []
        if attribute.type == .composite, !composites.contains(attribute.compositeName ?? "") {
            problems.append(
                ModelProblem(
                    .unknownComposite, entity: owner, property: attribute.name,
                    "its composite “\(attribute.compositeName ?? "")” is unknown"))
        }
        if !attribute.defaultValue.fits(attribute.type) {
            problems.append(
                ModelProblem(
                    .defaultTypeMismatch, entity: owner, property: attribute.name,
                    "its default value does not have the type \(attribute.type)"))
        }
        if attribute.isTransient, attribute.derivation != nil {
            problems.append(
                ModelProblem(
                    .invalidDerivation, entity: owner, property: attribute.name,
                    "it is both derived and transient, but stores compute only the derived values that"
                        + " they contain"))
        }
        for case .matches(let pattern) in attribute.validationRules
        where (try? TextExpression(pattern)) == nil {
            problems.append(
                ModelProblem(
                    .invalidRegularExpression, entity: owner, property: attribute.name,
                    "its regular expression “\(pattern)” is not valid"))
        }
        return problems
    }

    private func referenceProblems(
        of attribute: AttributeDescription, in owner: String
    ) -> [ModelProblem] {
        guard let (name, keyName) = attribute.referenceNames else { return [] }
        func problem(_ detail: String) -> [ModelProblem] {
            [
                ModelProblem(
                    .unknownDestination, entity: owner, property: attribute.name,
                    "the reference \(detail)")
            ]
        }
        guard let target = entities[name] else {
            return problem("leads to the unknown entity “\(name)”")
        }
        if attribute.isTransient || attribute.derivation != nil {
            return problem("is transient or derived, but its key must be stored")
        }
        guard let keyName else {
            return attribute.type == .uri
                ? [] : problem("has no URIs, although it names no attribute")
        }
        let lineage = [target] + (ancestors(of: target) ?? [])
        let isUnique = lineage.contains { $0.uniquenessConstraints.contains([keyName]) }
        let types = lineage.flatMap(\.properties).compactMap { property in
            if case .attribute(let key) = property, key.name == keyName { key.type } else { nil }
        }
        if isUnique, types == [attribute.type] { return [] }
        return problem(
            "needs an attribute “\(name).\(keyName)” that is unique and has its own type,"
                + " \(attribute.type)")
    }

    private func problems(
        of relationship: RelationshipDescription, in entity: EntityDescription
    ) -> [ModelProblem] {
        func problem(_ kind: ModelProblem.Kind, _ detail: String) -> [ModelProblem] {
            [ModelProblem(kind, entity: entity.name, property: relationship.name, detail)]
        }
        guard let destination = entities[relationship.destination] else {
            let name = relationship.destination
            return problem(
                .unknownDestination,
                name.isEmpty
                    ? "the relationship has no destination"
                    : "its destination “\(name)” is unknown")
        }
        let (least, most) = (relationship.minimumCount, relationship.maximumCount)
        if !relationship.isToMany && most > 1 || least < 0 || most > 0 && least > most {
            return problem(
                .invalidCounts,
                "its counts, at least \(least) and at most \(most), are not possible")
        }
        guard let inverseName = relationship.inverse else { return [] }
        let candidates = [destination] + (ancestors(of: destination) ?? [])
        let inverse = candidates.lazy.compactMap { candidate in
            candidate.relationship(named: inverseName)
        }.first
        guard let inverse else {
            return problem(
                .unknownInverse,
                "its inverse “\(destination.name).\(inverseName)” is not a relationship")
        }
        guard inverse.inverse == relationship.name, leadsBack(inverse, to: entity) else {
            return problem(
                .inverseMismatch,
                "its inverse “\(destination.name).\(inverseName)” leads to "
                    + "“\(inverse.destination).\(inverse.inverse ?? "")” instead")
        }
        return []
    }

    /// Whether the inverse's destination is the entity itself, or a superentity or subentity of it.
    private func leadsBack(
        _ inverse: RelationshipDescription, to entity: EntityDescription
    ) -> Bool {
        guard let destination = entities[inverse.destination] else { return false }
        return destination.name == entity.name
            || (ancestors(of: entity) ?? []).contains { $0.name == destination.name }
            || (ancestors(of: destination) ?? []).contains { $0.name == entity.name }
    }

    private func problems(of composite: CompositeDescription) -> [ModelProblem] {
        var problems = composite.elements.flatMap { self.problems(of: $0, in: composite.name) }
        if reaches(composite.name, from: composite) {
            problems.append(
                ModelProblem(.compositeCycle, entity: composite.name, "it contains itself"))
        }
        return problems
    }

    private func reaches(_ name: String, from composite: CompositeDescription) -> Bool {
        var pending = composite.elements.compactMap(\.compositeName)
        var seen = Set<String>()
        while let next = pending.popLast() {
            if next == name { return true }
            guard seen.insert(next).inserted else { continue }
            let inner = description.composites.first { $0.name == next }
            pending += inner?.elements.compactMap(\.compositeName) ?? []
        }
        return false
    }
}

extension EntityDescription {
    /// Returns the entity's own relationship with this name, or `nil` if there is no such relationship.
    fileprivate func relationship(named name: String) -> RelationshipDescription? {
        for case .relationship(let relationship) in properties where relationship.name == name {
            return relationship
        }
        return nil
    }
}

/// Finds derived attributes that no store can compute.
///
/// This is separate from ``ModelChecker`` because expressions are bound to entities, which exist only if
/// the model is valid in all other respects.
struct DerivationChecker {
    let model: ManagedObjectModel

    /// Returns the problems, sorted by entity and property. Empty if every expression can be computed.
    func problems() -> [ModelProblem] {
        model.entities.flatMap { entity in
            entity.ownProperties.compactMap { property in
                guard case .attribute(let attribute) = property,
                    let detail = Self.problem(of: attribute)
                else { return nil }
                return ModelProblem(
                    .invalidDerivation, entity: entity.name, property: attribute.name,
                    "it cannot be derived: \(detail)")
            }
        }
    }

    /// Returns a description of the problem with the attribute's derivation, without a full stop. Returns
    /// `nil` if there is no problem or if the form of the derivation is not supported.
    private static func problem(of attribute: Attribute) -> String? {
        guard let derivation = attribute.description.derivation, !derivation.expression.isEmpty
        else { return nil }
        do {
            let expression = try FetchExpression(format: derivation.expression)
                .bound(to: attribute.entity)
            if expression.paths.contains(where: \.followsReference) {
                return
                    "“\(derivation.expression)” follows a reference, which may lead to another store"
            }
            if expression.callsProgram {
                return
                    "“\(derivation.expression)” calls a function of this program, which others that save may"
                    + " not have"
            }
            return expression.isCollection
                ? "“\(derivation.expression)” has several values" : nil
        } catch {
            return "\(error)".trimmingSuffix(".")
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        last == suffix ? String(dropLast()) : self
    }
}
