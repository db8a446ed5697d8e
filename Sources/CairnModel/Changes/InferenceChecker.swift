/// Decides for which changes of a model a migration can be inferred.
struct InferenceChecker {
    private let changes: ModelChanges
    private let correspondence: ModelCorrespondence
    private let coded: Set<String>
    private var result = InferenceVerdict()
    private var new: ManagedObjectModel { correspondence.new }

    /// - Parameter coded: The names of the entities whose properties code of the program sets.
    init(
        _ changes: ModelChanges, from old: ManagedObjectModel, to new: ManagedObjectModel,
        coded: Set<String>
    ) {
        self.changes = changes
        self.coded = coded
        correspondence = ModelCorrespondence(from: old, to: new)
    }

    mutating func verdict() -> InferenceVerdict {
        result.refusals += changes.unnoticedRenames
        judgeContestedNames()
        judgeHierarchies()
        judgeLostDestinations()
        judgeJoinedEnds()
        for change in changes.entities { judge(change) }
        judgeComposites()
        return result
    }

    private mutating func judgeContestedNames() {
        for name in changes.contestedNames {
            let claimants = ModelChanges.list(name.claimants.map { "“\($0)”" })
            result.refusals.append(
                InferenceFinding(
                    name.entity ?? name.claimants[0], name.entity.map { _ in name.claimants[0] },
                    "\(claimants) both continue “\(name.old)” of the old model, by name or by"
                        + " renaming identifier; change the renaming identifier of one of them"))
        }
    }

    /// All entities of a hierarchy share one range of keys, so two hierarchies cannot be merged.
    private mutating func judgeHierarchies() {
        var roots: [String: [String: [String]]] = [:]
        for entity in new.entities {
            guard let before = correspondence.oldEntity(of: entity) else { continue }
            roots[entity.rootEntity.name, default: [:]][before.rootEntity.name, default: []]
                .append(entity.name)
        }
        for (root, members) in roots.sorted(by: { $0.key < $1.key }) where members.count > 1 {
            let former = ModelChanges.list(members.keys.sorted().map { "“\($0)”" })
            for entity in members.values.joined().sorted() where entity != root {
                result.refusals.append(
                    InferenceFinding(
                        entity, nil,
                        "it would share the hierarchy of “\(root)” with entities of other"
                            + " hierarchies of the old model (\(former)); keep the hierarchies separate,"
                            + " or copy the objects in your program"))
            }
        }
    }

    /// Reports entities that were removed or have left a hierarchy. Their objects can no longer be
    /// destinations of relationships to that hierarchy.
    private mutating func judgeLostDestinations() {
        for entity in new.entities {
            for case .relationship(let relationship) in entity.ownProperties
            where !relationship.isTransient {
                judgeLostDestinations(of: relationship)
            }
        }
    }

    private mutating func judgeLostDestinations(of relationship: Relationship) {
        var lost: [Entity] = []
        for entity in relationship.entity.hierarchy {
            guard
                case .relationship(let before)? = correspondence.oldProperty(
                    named: relationship.name, of: entity), !before.isTransient,
                // Otherwise, the relationship has a different destination, which is refused.
                correspondence.newEntity(of: before.destination)?.isKind(
                    of: relationship.destination) ?? false
            else { continue }
            lost += correspondence.lostDestinations(of: relationship, continuing: before)
                .filter { !$0.isAbstract && !lost.contains($0) }
        }
        for former in lost { note(former, lostBy: relationship) }
    }

    private mutating func note(_ former: Entity, lostBy relationship: Relationship) {
        let name = correspondence.newEntity(of: former)?.name
        let reason =
            name.map { _ in "no longer inherits from “\(relationship.destination.name)”" }
            ?? "was removed"
        let (entity, property) = (relationship.entity.name, relationship.name)
        let lost = "“\(name ?? former.name)”"
        if relationship.isRequiredToOne {
            result.conditions.append(
                InferenceFinding(
                    entity, property,
                    "it is required, so no destination may be an object of \(lost), because that entity"
                        + " \(reason)"))
            return
        }
        result.losses.append(
            InferenceFinding(
                entity, property,
                "destinations that are objects of \(lost) are removed, because that entity \(reason)"
            ))
        let least = relationship.leastCount
        guard least > 0 else { return }
        result.uncheckedRules.append(
            InferenceFinding(
                entity, property,
                "it needs at least \(least.counted("destination")), and those that are objects of"
                    + " \(lost) are removed"))
    }

    /// Two relationships with destinations of their own become one set of pairs, so they must have the same
    /// pairs. Otherwise, the migration would lose pairs of one of them, or add pairs to the other.
    private mutating func judgeJoinedEnds() {
        for ends in correspondence.joinedEnds() {
            let finding = InferenceFinding(
                ends.relationship.entity.name, ends.relationship.name,
                "its inverse is now “\(ends.relationship.inverse?.name ?? "")”, which has destinations of"
                    + " its own, so each destination must lead back to its object")
            if !result.conditions.contains(finding) { result.conditions.append(finding) }
        }
    }

    // MARK: Entities

    private mutating func judge(_ change: EntityChange) {
        guard let before = change.old else { return }
        guard let after = change.new else {
            if !before.isAbstract {
                result.losses.append(
                    InferenceFinding(before.name, nil, "its objects are removed"))
            }
            return
        }
        if change.aspects.contains(.isAbstract), after.isAbstract {
            result.conditions.append(
                InferenceFinding(
                    after.name, nil,
                    "it is now abstract, so the store must not contain objects of this entity itself"
                ))
        }
        for constraint in change.addedConstraints {
            result.conditions.append(
                InferenceFinding(
                    after.name, nil,
                    "no two objects may have the same \(ModelChanges.list(constraint))"))
        }
        for property in change.properties { judge(property, of: after) }
    }

    // MARK: Properties

    private mutating func judge(_ change: PropertyChange, of entity: EntityDescription) {
        // The finding for the superentity also covers this entity.
        guard !change.isInherited else { return }
        var findings = PropertyInferenceChecker(
            change: change, entity: entity.name, correspondence: correspondence
        ).findings()
        if coded.contains(entity.name) {
            findings.leftToCode = findings.refusals + findings.conditions
            (findings.refusals, findings.conditions) = ([], [])
            findings.demandsValues = false
        }
        result.add(findings)
    }

    /// Judges the elements of composites by the rules for attributes.
    private mutating func judgeComposites() {
        for composite in changes.composites {
            for element in composite.elements {
                result.add(
                    PropertyInferenceChecker(
                        change: element, entity: composite.name, correspondence: correspondence
                    ).findingsOfElement())
            }
        }
    }
}

extension Relationship {
    fileprivate var isRequiredToOne: Bool { !isToMany && !isOptional }

    /// The smallest number of destinations that validation accepts.
    fileprivate var leastCount: Int {
        max(description.minimumCount, description.isRequired ? 1 : 0)
    }
}
