extension EntityChange: CustomStringConvertible {
    /// A line without a full stop, such as
    /// `Book: attribute isbn was added; attribute title was renamed to name`. Changes that the superentity
    /// has as well are left out.
    package var description: String {
        guard let old, let new else { return "\(name) was \(old == nil ? "added" : "removed")" }
        let clauses = clauses(old, new)
        guard aspects.contains(.name) else {
            return "\(name): \(clauses.joined(separator: "; "))"
        }
        return "\(old.name) was renamed to \(name)"
            + (clauses.isEmpty ? "" : ": " + clauses.joined(separator: "; "))
    }

    /// Whether ``description`` contains nothing beyond the changes of the superentity.
    var isInherited: Bool {
        guard let old, let new else { return false }
        return aspects.isEmpty && clauses(old, new).isEmpty
    }

    private func clauses(_ old: EntityDescription, _ new: EntityDescription) -> [String] {
        aspects.compactMap { phrase($0, old, new) }
            + properties.filter { !$0.isInherited }.map(\.description)
            + lists(addedConstraints, "uniqueness constraint", "was added")
            + lists(removedConstraints, "uniqueness constraint", "was removed")
            + ChangeText.changes(indexes, "index")
            + lists(addedCompoundIndexes, "compound index", "was added")
            + lists(removedCompoundIndexes, "compound index", "was removed")
    }

    private func lists(_ lists: [[String]], _ what: String, _ verb: String) -> [String] {
        lists.map { "\(what) (\($0.joined(separator: ", "))) \(verb)" }
    }

    private func phrase(
        _ aspect: EntityAspect, _ old: EntityDescription, _ new: EntityDescription
    ) -> String? {
        switch aspect {
        case .name: nil
        case .superentity:
            switch (old.superentity, new.superentity) {
            case (nil, let above?): "it now inherits from \(above)"
            case (let above?, nil): "it no longer inherits from \(above)"
            default: "it inherits from \(new.superentity ?? "") instead of \(old.superentity ?? "")"
            }
        case .isAbstract: "it " + ChangeText.flag(new.isAbstract, "abstract")
        case .managedObjectClassName:
            "it "
                + ChangeText.text(
                    "class", old.managedObjectClassName, new.managedObjectClassName)
        case .versionHashModifier:
            "it "
                + ChangeText.text(
                    "hash modifier", old.versionHashModifier, new.versionHashModifier)
        case .renamingIdentifier:
            "it "
                + ChangeText.text(
                    "renaming identifier", old.renamingIdentifier, new.renamingIdentifier)
        case .isSyncable: "it " + ChangeText.flag(new.isSyncable, "synchronised")
        case .userInfo: "it has other user info"
        }
    }
}
