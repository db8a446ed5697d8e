/// Finds what differs between two versions of one entity.
struct EntityComparison {
    private let old: Entity
    private let new: Entity
    private let models: ModelComparison
    private let matching: PropertyMatching
    /// The changes of all properties, including inherited ones.
    let properties: [PropertyChange]

    /// - Parameter inherited: The changes of the new superentity's properties. Empty if there is no
    ///   superentity, or if it was added.
    init(old: Entity, new: Entity, models: ModelComparison, inherited: [PropertyChange]) {
        self.old = old
        self.new = new
        self.models = models
        let matching = PropertyMatching(old: Self.sides(of: old), new: Self.sides(of: new))
        self.matching = matching
        let known = Set(inherited.map(\.asDeclared))
        properties = matching.changes { before, after in
            PropertyComparison(old: before, new: after, entities: models).aspects()
        }.map { change in
            var change = change
            change.isInherited = known.contains(change)
            return change
        }
    }

    private static func sides(of entity: Entity) -> [PropertyChange.Side] {
        entity.properties.map { property in
            switch property {
            case .attribute(let it):
                PropertyChange.Side(
                    declaringEntity: it.entity.name, property: .attribute(it.description))
            case .relationship(let it):
                PropertyChange.Side(
                    declaringEntity: it.entity.name, property: .relationship(it.description))
            case .fetchedProperty(let it):
                PropertyChange.Side(
                    declaringEntity: it.entity.name, property: .fetchedProperty(it.description))
            }
        }
    }

    /// Old names that several properties claim, at least one of which this entity declares itself. Those
    /// among inherited properties are reported by the superentity.
    var contested: [ContestedName] {
        let own = Set(new.ownProperties.map(\.name))
        return matching.matcher.contested.filter { !own.isDisjoint(with: $0.claimants) }.map {
            ContestedName(entity: new.name, old: $0.old, claimants: $0.claimants)
        }
    }

    func change() -> EntityChange {
        var change = EntityChange(old: old.description, new: new.description)
        change.aspects = aspects()
        change.properties = properties
        let (before, after) = (old.description, new.description)
        (change.addedConstraints, change.removedConstraints) = difference(
            before.uniquenessConstraints, after.uniquenessConstraints)
        (change.addedCompoundIndexes, change.removedCompoundIndexes) = difference(
            before.compoundIndexes, after.compoundIndexes)
        change.indexes = NamedChange.between(
            indexes(before.fetchIndexes.map(renamed)), indexes(after.fetchIndexes))
        return change
    }

    private func aspects() -> [EntityAspect] {
        let (before, after) = (old.description, new.description)
        return EntityAspect.allCases.filter { aspect in
            switch aspect {
            case .name: before.name != after.name
            case .superentity: before.superentity.map(models.newName) != after.superentity
            case .isAbstract: before.isAbstract != after.isAbstract
            case .managedObjectClassName:
                before.managedObjectClassName != after.managedObjectClassName
            case .versionHashModifier: before.versionHashModifier != after.versionHashModifier
            case .renamingIdentifier:
                before.name == after.name && before.renamingIdentifier != after.renamingIdentifier
            case .isSyncable: before.isSyncable != after.isSyncable
            case .userInfo: before.userInfo != after.userInfo
            }
        }
    }

    // MARK: Lists of names

    /// Returns the lists that only one side contains. For the comparison, property names in the old lists
    /// are replaced with their new names.
    private func difference(
        _ before: [[String]], _ after: [[String]]
    ) -> (added: [[String]], removed: [[String]]) {
        let renamed = Set(before.map { $0.map(newPath) })
        let known = Set(after)
        return (
            after.filter { !renamed.contains($0) },
            before.filter { !known.contains($0.map(newPath)) }
        )
    }

    /// Returns the new name of a property, or a path into a composite, such as `address.city`, with the new
    /// name of its first component.
    private func newPath(_ path: String) -> String {
        let name = String(path.prefix { $0 != "." })
        return (matching.matcher.newNames[name] ?? name) + path.dropFirst(name.count)
    }

    private func renamed(_ index: FetchIndexDescription) -> FetchIndexDescription {
        var index = index
        for position in index.elements.indices {
            guard case .property(let path) = index.elements[position].target else { continue }
            index.elements[position].target = .property(newPath(path))
        }
        return index
    }

    private func indexes(
        _ indexes: [FetchIndexDescription]
    ) -> [String: FetchIndexDescription] {
        Dictionary(indexes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension PropertyChange {
    /// The change in the form that the entity that declares the property reports.
    fileprivate var asDeclared: PropertyChange {
        var change = self
        change.isInherited = false
        return change
    }
}
