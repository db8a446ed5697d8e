/// Decides whether a migration can be inferred for one change of a property.
struct PropertyInferenceChecker {
    let change: PropertyChange
    /// The name of the entity in the new model.
    let entity: String
    let correspondence: ModelCorrespondence
    private var old: ManagedObjectModel { correspondence.old }
    private var new: ManagedObjectModel { correspondence.new }

    func findings() -> InferenceVerdict {
        var findings = InferenceVerdict()
        switch (change.old?.property, change.new?.property) {
        case (nil, let added?): judgeAdded(added, &findings)
        case (let removed?, nil): judgeRemoved(removed, &findings)
        case (.attribute(let before)?, .attribute(let after)?):
            judge(before, after, &findings)
        case (.relationship(let before)?, .relationship(let after)?):
            judge(before, after, &findings)
        case (.fetchedProperty?, .fetchedProperty?), (nil, nil): break
        case (let before?, let after?):
            // A property that is stored on only one side is, in effect, added or removed.
            switch (before.isPersistent, after.isPersistent) {
            case (true, true):
                findings.refusals.append(
                    finding(
                        "the \(before.kindWord) became \(after.kindWord.withArticle); give it another name, and"
                            + " set its values in your program"))
            case (false, true): judgeAdded(after, &findings)
            case (true, false): judgeRemoved(before, &findings)
            case (false, false): break
            }
        }
        return findings
    }

    /// Returns the findings about an element of a composite. The values of elements are not checked one by one, so
    /// a condition is a refusal.
    func findingsOfElement() -> InferenceVerdict {
        var findings = findings()
        findings.refusals += findings.conditions
        findings.conditions = []
        findings.demandsValues = false
        return findings
    }

    private func finding(_ reason: String) -> InferenceFinding {
        InferenceFinding(entity, change.name, reason)
    }

    private func demandValues(_ reason: String, _ findings: inout InferenceVerdict) {
        findings.conditions.append(finding(reason))
        findings.demandsValues = true
    }

    // MARK: Added and removed

    private func judgeAdded(
        _ property: PropertyDescription, _ findings: inout InferenceVerdict
    ) {
        guard property.isPersistent else { return }
        switch property {
        case .attribute(let attribute):
            guard attribute.demandsValue else { return }
            demandValues(
                "it is required but has no default value, so there must be no objects; give it a default"
                    + " value, or make it optional" + renamingAdvice(for: attribute), &findings)
        case .relationship(let relationship) where relationship.isToMany:
            guard relationship.isRequired else { return }
            findings.uncheckedRules.append(
                finding(
                    "it needs at least \(relationship.minimumCount.counted("destination")), but is new"
                ))
        case .relationship(let relationship):
            if let added = new.entity(named: entity)?.relationship(named: relationship.name),
                let inverse = added.inverse, continues(inverse, added)
            {
                findings.refusals.append(
                    finding(
                        "it is new, but its inverse “\(inverse.name)” already has destinations, and several"
                            + " objects may lead to the same one; make it to-many, or, if it continues"
                            + " another relationship, set its renaming identifier"))
            } else if relationship.isRequired {
                demandValues(
                    "it is required and new, so there must be no objects; make it optional",
                    &findings)
            }
        case .fetchedProperty: break
        }
    }

    /// Whether the inverse of a relationship continues one that was stored, in its entity or in a subentity,
    /// unless that one's old inverse corresponds to `relationship` itself, as inherited by a subentity.
    private func continues(_ inverse: Relationship, _ relationship: Relationship) -> Bool {
        correspondence.storedOldRelationships(of: inverse).contains { before in
            guard let former = before.inverse,
                case .relationship(let continued)? = correspondence.newProperty(
                    named: former.name, of: former.entity)
            else { return true }
            return continued != relationship
        }
    }

    private func renamingAdvice(for attribute: AttributeDescription) -> String {
        new.entity(named: entity).map { correspondence.renamingAdvice(for: attribute, of: $0) }
            ?? ""
    }

    private func judgeRemoved(
        _ property: PropertyDescription, _ findings: inout InferenceVerdict
    ) {
        guard property.isPersistent else { return }
        findings.losses.append(
            finding(
                property.isRelationship
                    ? "its destinations are removed" : "its values are removed"
            ))
    }

    // MARK: Attributes

    private func judge(
        _ before: AttributeDescription, _ after: AttributeDescription,
        _ findings: inout InferenceVerdict
    ) {
        switch (before.isTransient, after.isTransient) {
        case (true, false): return judgeAdded(.attribute(after), &findings)
        case (false, true): return judgeRemoved(.attribute(before), &findings)
        case (true, true): return
        case (false, false): break
        }
        // The store computes the value of a derived attribute, so the old value does not matter.
        guard after.derivation == nil else { return }
        if change.aspects.contains(.validationRules), !after.validationRules.isEmpty {
            findings.uncheckedRules.append(finding("its validation rules changed"))
        }
        if before.isOptional, after.demandsValue {
            demandValues(
                "it is now required but has no default value, so every object must have a value; give it a"
                    + " default value, or leave it optional", &findings)
        }
        if before.type != after.type { judgeType(before.type, after.type, &findings) }
        if change.aspects.contains(.compositeName) { judgeElements(before, after, &findings) }
    }

    /// Judges the elements of an attribute with another composite. The names of the composites do not matter,
    /// because Core Data's archives do not contain them.
    private func judgeElements(
        _ before: AttributeDescription, _ after: AttributeDescription,
        _ findings: inout InferenceVerdict
    ) {
        guard let former = before.compositeName.flatMap(old.composite),
            let present = after.compositeName.flatMap(new.composite)
        else { return }
        let composite = CompositeChange(from: former, to: present)
        if composite.elements.count(where: { $0.new == nil }) == former.elements.count {
            findings.refusals.append(
                finding(
                    "it has another composite; add a new attribute, and convert the values in your"
                        + " program"))
        }
        for element in composite.elements {
            let checker = PropertyInferenceChecker(
                change: element, entity: composite.name, correspondence: correspondence)
            findings.add(checker.findingsOfElement())
        }
    }

    private func judgeType(
        _ before: AttributeType, _ after: AttributeType, _ findings: inout InferenceVerdict
    ) {
        let types = "its type changed from \(before) to \(after)"
        if before.convertsLosslessly(to: after) {
            // Core Data converts numbers to numbers.
            if before.isNumeric, after.isNumeric { return }
            findings.extensions.append(finding("\(types), which keeps all values"))
        } else if before.isNumeric, after.isNumeric {
            findings.conditions.append(
                finding("\(types), so every value must be one that \(after) represents exactly"))
        } else {
            findings.refusals.append(
                finding(
                    "\(types), which would change or lose some values; add a new attribute, and convert"
                        + " the values in your program"))
        }
    }

    // MARK: Relationships

    private func judge(
        _ before: RelationshipDescription, _ after: RelationshipDescription,
        _ findings: inout InferenceVerdict
    ) {
        switch (before.isTransient, after.isTransient) {
        case (true, false): return judgeAdded(.relationship(after), &findings)
        case (false, true): return judgeRemoved(.relationship(before), &findings)
        case (true, true): return
        case (false, false): break
        }
        // The counts of a to-many are judged below.
        if before.isOptional, !after.isOptional, !after.isToMany {
            findings.conditions.append(
                finding("it is now required, so every object must have a destination"))
        }
        if before.isToMany, !after.isToMany {
            findings.refusals.append(
                finding(
                    "it is now to-one, and it is unknown which of several destinations to keep; add a"
                        + " new relationship, and set its destinations in your program"))
        }
        if before.isToMany, before.isOrdered, after.isToMany, !after.isOrdered {
            findings.losses.append(finding("the order of its members is lost"))
        }
        if change.aspects.contains(.destination), !leadsToSameObjects(before, after) {
            findings.refusals.append(
                finding(
                    "it now leads to “\(after.destination)”, but its existing destinations are not"
                        + " objects of that entity; add a new relationship, and set its destinations in"
                        + " your program"))
        }
        if after.isToMany { judgeCounts(before, after, &findings) }
    }

    private func judgeCounts(
        _ before: RelationshipDescription, _ after: RelationshipDescription,
        _ findings: inout InferenceVerdict
    ) {
        let least = after.minimumCount
        let isRequiredNow = before.isOptional && !after.isOptional && least > 0
        if least > before.minimumCount || isRequiredNow {
            findings.uncheckedRules.append(
                finding("it now needs at least \(least.counted("destination"))"))
        }
        let most = after.maximumCount
        if most > 0, before.maximumCount == 0 || most < before.maximumCount, before.isToMany {
            findings.uncheckedRules.append(
                finding("it may now have at most \(most.counted("destination"))"))
        }
    }

    /// Whether every object that was a destination may still be a destination.
    private func leadsToSameObjects(
        _ before: RelationshipDescription, _ after: RelationshipDescription
    ) -> Bool {
        guard
            let continued = old.entity(named: before.destination).flatMap(correspondence.newEntity),
            let destination = new.entity(named: after.destination)
        else { return false }
        return continued.isKind(of: destination)
    }
}

extension AttributeDescription {
    /// Whether each object of a continuing entity must have a value already.
    fileprivate var demandsValue: Bool {
        !isOptional && !isTransient && defaultValue == .null && derivation == nil
    }
}

extension ModelCorrespondence {
    /// Returns why an object without a value of a property of a continuing entity is refused. Returns `nil` if the
    /// property is not required, if it has a default value, or if it was required before.
    package func demand(for property: Property, of entity: Entity) -> InferenceFinding? {
        let before = oldProperty(named: property.name, of: entity)
        switch property {
        case .attribute(let attribute):
            guard attribute.description.demandsValue else { return nil }
            if case .attribute(let before)? = before, !before.isTransient {
                guard before.isOptional else { return nil }
            }
            return InferenceFinding(
                entity.name, property.name,
                "it is required but has no default value, and the store contains objects without a value; give"
                    + " it a default value, or make it optional"
                    + (before == nil ? renamingAdvice(for: attribute.description, of: entity) : ""))
        case .relationship(let relationship):
            guard !relationship.isToMany, !relationship.isOptional, !relationship.isTransient
            else { return nil }
            if case .relationship(let before)? = before, !before.isTransient {
                guard before.isOptional else { return nil }
            }
            return InferenceFinding(
                entity.name, property.name,
                "it is now required, but the store contains objects without a destination that is an object of"
                    + " “\(relationship.destination.name)”; give them destinations with the old version, or make"
                    + " the relationship optional")
        case .fetchedProperty: return nil
        }
    }

    /// Returns advice on renaming if an attribute of the same type was removed at the same time. Otherwise,
    /// returns an empty string.
    func renamingAdvice(for attribute: AttributeDescription, of entity: Entity) -> String {
        guard let before = oldEntity(of: entity) else { return "" }
        let removed = before.attributes.filter {
            $0.type == attribute.type && !$0.isTransient
                && newProperty(named: $0.name, of: before) == nil
        }
        guard let name = removed.first?.name else { return "" }
        return removed.count == 1
            ? "; if “\(name)” was renamed to it, set its renaming identifier to “\(name)”"
            : "; if one of the removed attributes was renamed to it, set its renaming identifier to the"
                + " old name"
    }
}

extension PropertyDescription {
    fileprivate var isRelationship: Bool {
        if case .relationship = self { true } else { false }
    }
}
