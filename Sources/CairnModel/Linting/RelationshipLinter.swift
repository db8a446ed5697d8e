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
                "it has no inverse, so it still leads to an object that was deleted; add an inverse"
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
