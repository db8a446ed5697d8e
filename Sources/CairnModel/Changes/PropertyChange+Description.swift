extension PropertyChange: CustomStringConvertible {
    /// A clause without a full stop, such as `attribute title was renamed to name`.
    package var description: String {
        guard let side = new ?? old else { return "" }
        let kind = side.property.kindWord
        guard let old, let new else {
            return "\(kind) \(name) was \(self.old == nil ? "added" : "removed")"
        }
        if aspects.contains(.kind) {
            let renamed = old.property.name == new.property.name ? "" : " under the name \(name)"
            return "\(old.property.kindWord) \(old.property.name) became a "
                + "\(new.property.kindWord)\(renamed)"
        }
        let phrases = aspects.map { phrase($0, old, new) }
        return "\(kind) \(old.property.name) \(ChangeText.list(phrases))"
    }

    private func phrase(_ aspect: PropertyAspect, _ old: Side, _ new: Side) -> String {
        switch aspect {
        case .name: return "was renamed to \(new.property.name)"
        case .kind: return "became a \(new.property.kindWord)"
        case .declaringEntity:
            return "moved from \(old.declaringEntity) to \(new.declaringEntity)"
        default: break
        }
        switch (old.property, new.property) {
        case (.attribute(let before), .attribute(let after)):
            return AttributeChangeText.phrase(aspect, before, after)
        case (.relationship(let before), .relationship(let after)):
            return RelationshipChangeText.phrase(aspect, before, after)
        case (.fetchedProperty(let before), .fetchedProperty(let after)):
            switch aspect {
            case .isOptional: return ChangeText.flag(after.isOptional, "optional")
            case .renamingIdentifier:
                return ChangeText.text(
                    "renaming identifier", before.renamingIdentifier, after.renamingIdentifier)
            case .userInfo: return "has other user info"
            default: return "has another fetch request"
            }
        default: return "became a \(new.property.kindWord)"
        }
    }
}

extension PropertyDescription {
    /// The kind of property in words, for use in a sentence.
    var kindWord: String {
        switch self {
        case .attribute: "attribute"
        case .relationship: "relationship"
        case .fetchedProperty: "fetched property"
        }
    }
}
