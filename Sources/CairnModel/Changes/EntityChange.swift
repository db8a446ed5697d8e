/// The change of one entity between two versions of a model.
package struct EntityChange: Sendable, Hashable {
    /// The entity in the old model, or `nil` if the entity was added.
    package var old: EntityDescription?
    /// The entity in the new model, or `nil` if the entity was removed.
    package var new: EntityDescription?
    /// The settings that differ, in the order of `EntityAspect.allCases`. Empty for an entity that was added
    /// or removed.
    package var aspects: [EntityAspect] = []
    /// The changes of all properties, including inherited ones, sorted by name. Empty for an entity that was
    /// added or removed.
    package var properties: [PropertyChange] = []
    /// Uniqueness constraints that only the new entity declares, with the new property names.
    package var addedConstraints: [[String]] = []
    /// Uniqueness constraints that only the old entity declares, with the old property names.
    package var removedConstraints: [[String]] = []
    /// Indexes that were added, removed or changed.
    package var indexes: [NamedChange<FetchIndexDescription>] = []
    /// Indexes in the older form, compound indexes, that only the new entity declares.
    package var addedCompoundIndexes: [[String]] = []
    /// Indexes in the older form, compound indexes, that only the old entity declares.
    package var removedCompoundIndexes: [[String]] = []

    /// The name in the new model, or in the old one if the entity was removed.
    package var name: String { (new ?? old)?.name ?? "" }

    /// Whether the entity is the same in both models.
    var isEmpty: Bool {
        old != nil && new != nil && aspects.isEmpty && properties.isEmpty
            && addedConstraints.isEmpty && removedConstraints.isEmpty && indexes.isEmpty
            && addedCompoundIndexes.isEmpty && removedCompoundIndexes.isEmpty
    }
}

/// A setting of an entity that may differ between two versions of a model.
package enum EntityAspect: Sendable, Hashable, CaseIterable {
    /// The name differs. A renaming identifier indicates that it is the same entity.
    case name
    /// The entity inherits from a different entity. Renaming the superentity does not count as a difference.
    case superentity
    /// The entity became abstract or is no longer abstract. This changes the version hash.
    case isAbstract
    /// The class of the entity's objects differs. Stores are not affected.
    case managedObjectClassName
    /// The text that is added to the version hash differs. This changes the version hash.
    case versionHashModifier
    /// Only the renaming identifier differs. For a renamed entity, ``name`` is reported instead.
    case renamingIdentifier
    /// A mirroring store now includes the entity, or no longer does. No engine of Cairn uses this setting.
    case isSyncable
    /// The additional information from the author differs. Stores are not affected.
    case userInfo
}

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
            + ModelChanges.changes(indexes, "index")
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
        case .isAbstract: "it " + ModelChanges.flag(new.isAbstract, "abstract")
        case .managedObjectClassName:
            "it "
                + ModelChanges.text(
                    "class", old.managedObjectClassName, new.managedObjectClassName)
        case .versionHashModifier:
            "it "
                + ModelChanges.text(
                    "hash modifier", old.versionHashModifier, new.versionHashModifier)
        case .renamingIdentifier:
            "it "
                + ModelChanges.text(
                    "renaming identifier", old.renamingIdentifier, new.renamingIdentifier)
        case .isSyncable: "it " + ModelChanges.flag(new.isSyncable, "synchronised")
        case .userInfo: "it has other user info"
        }
    }
}
