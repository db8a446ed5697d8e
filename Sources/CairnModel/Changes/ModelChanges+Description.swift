extension ModelChanges: CustomStringConvertible {
    /// One line for each entity and each other part that changed; empty if nothing differs.
    public var description: String { lines.joined(separator: "\n") }

    /// The changes in words, one line for each changed entity and each other changed part. An entity
    /// that only inherits its superentity's changes has no line.
    public var lines: [String] {
        entities.filter { !$0.isInherited }.map(\.description)
            + composites.map(\.description)
            + ChangeText.changes(configurations, "configuration")
            + ChangeText.changes(fetchRequestTemplates, "fetch request")
            + identifiers(addedVersionIdentifiers, "was added")
            + identifiers(removedVersionIdentifiers, "was removed")
    }

    /// Returns what changed about the entity of that name, old or new; `nil` if nothing did.
    func text(ofEntity name: String) -> String? {
        guard let change = entities.first(where: { $0.name == name || $0.old?.name == name })
        else { return nil }
        guard change.isInherited else { return change.description }
        return "\(change.name): what it inherits from \(change.new?.superentity ?? "") has changed"
    }

    private func identifiers(_ identifiers: [String], _ verb: String) -> [String] {
        identifiers.map { "version identifier “\($0)” \(verb)" }
    }
}

extension CompositeChange: CustomStringConvertible {
    /// One line without a full stop.
    public var description: String {
        guard old != nil, new != nil else {
            return "composite \(name) was \(old == nil ? "added" : "removed")"
        }
        let clauses = elements.map(\.description)
        return "composite \(name): "
            + (clauses.isEmpty
                ? "its elements have another order" : clauses.joined(separator: "; "))
    }
}
