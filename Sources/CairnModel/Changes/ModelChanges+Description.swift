extension ModelChanges: CustomStringConvertible {
    /// The lines of ``lines``, joined. Empty if the models are the same.
    public var description: String { lines.joined(separator: "\n") }

    /// The changes in words, one line for each entity or other part that changed. An entity that only
    /// inherits the changes of its superentity has no line.
    public var lines: [String] {
        entities.filter { !$0.isInherited }.map(\.description)
            + composites.map(\.description)
            + ChangeText.changes(configurations, "configuration")
            + ChangeText.changes(fetchRequestTemplates, "fetch request")
            + identifiers(addedVersionIdentifiers, "was added")
            + identifiers(removedVersionIdentifiers, "was removed")
    }

    /// Returns the changes of the entity with this old or new name in words, or `nil` if it did not change.
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
    /// A line without a full stop.
    package var description: String {
        guard old != nil, new != nil else {
            return "composite \(name) was \(old == nil ? "added" : "removed")"
        }
        let clauses = elements.map(\.description)
        return "composite \(name): "
            + (clauses.isEmpty
                ? "its elements have another order" : clauses.joined(separator: "; "))
    }
}
