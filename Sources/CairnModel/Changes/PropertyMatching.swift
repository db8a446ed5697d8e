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
