/// Compares two versions of a model.
struct ModelComparison {
    let old: ManagedObjectModel
    let new: ManagedObjectModel
    /// Matches the entities of the two versions.
    let matcher: RenameMatcher

    init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        func parts(_ model: ManagedObjectModel) -> [RenameMatcher.Part] {
            model.description.entities.map {
                RenameMatcher.Part(name: $0.name, renamingIdentifier: $0.renamingIdentifier)
            }
        }
        self.old = old
        self.new = new
        matcher = RenameMatcher(old: parts(old), new: parts(new))
    }

    func changes() -> ModelChanges {
        var changes = ModelChanges()
        changes.contestedNames = matcher.contested.map {
            ContestedName(entity: nil, old: $0.old, claimants: $0.claimants)
        }
        addEntities(to: &changes)
        addOthers(to: &changes)
        changes.requiresMigration = requiresMigration
        if !changes.requiresMigration { changes.unnoticedRenames = renames(in: changes) }
        return changes
    }

    /// See ``ModelChanges/requiresMigration``.
    var requiresMigration: Bool { plainHashes(old) != plainHashes(new) }

    /// Returns the version hashes computed by the formula. For entities with derived attributes, the hashes
    /// that a tool recorded differ even between two builds of the same model. For entities with composites,
    /// they differ from those of the formula.
    private func plainHashes(_ model: ManagedObjectModel) -> [String: VersionHash] {
        guard model.entities.contains(where: \.record.hasUnprovenHash),
            let plain = try? ManagedObjectModel(model.description)
        else { return model.entityVersionHashes }
        return plain.entityVersionHashes
    }

    /// Returns a finding for each entity, each stored property and each element with another name. Only the
    /// entity that declares a property reports it.
    private func renames(in changes: ModelChanges) -> [InferenceFinding] {
        func finding(
            _ entity: String, _ property: String?, _ former: String
        ) -> InferenceFinding {
            var finding = InferenceFinding(
                entity, property,
                "it continues “\(former)” of the old model, but the version hashes are equal, so stores"
                    + " are opened without a migration, and the values stay under their old names; give"
                    + " it a new hash modifier (versionHashModifier)")
            finding.isOfModels = true
            return finding
        }
        var findings: [InferenceFinding] = []
        for change in changes.entities {
            guard let old = change.old, let new = change.new else { continue }
            if old.name != new.name { findings.append(finding(new.name, nil, old.name)) }
            for property in change.properties where !property.isInherited {
                guard let former = property.formerName else { continue }
                findings.append(finding(new.name, property.name, former))
            }
        }
        for composite in changes.composites {
            for element in composite.elements {
                guard let former = element.formerName else { continue }
                findings.append(finding(composite.name, element.name, former))
            }
        }
        return findings
    }

    // MARK: Entities

    private func addEntities(to changes: inout ModelChanges) {
        var compared: [String: EntityComparison] = [:]
        // A superentity has a lower number, so it is compared before its subentities.
        for entity in new.entities {
            guard let name = matcher.oldNames[entity.name], let before = old.entity(named: name)
            else {
                changes.entities.append(EntityChange(old: nil, new: entity.description))
                continue
            }
            let parent = entity.superentity.flatMap { compared[$0.name] }
            let comparison = EntityComparison(
                old: before, new: entity, models: self, inherited: parent?.properties ?? [])
            compared[entity.name] = comparison
            changes.contestedNames += comparison.contested
            let change = comparison.change()
            if !change.isEmpty { changes.entities.append(change) }
        }
        for entity in old.entities where matcher.newNames[entity.name] == nil {
            changes.entities.append(EntityChange(old: entity.description, new: nil))
        }
        changes.entities.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns the new name of an entity of the old model, or its old name if the entity was removed.
    func newName(of entity: String) -> String { matcher.newNames[entity] ?? entity }

    // MARK: Other parts

    private func addOthers(to changes: inout ModelChanges) {
        let (before, after) = (old.description, new.description)
        changes.composites = compositeChanges()
        changes.configurations = NamedChange.between(
            before.configurations.mapValues { $0.map(newName).sorted() },
            after.configurations.mapValues { $0.sorted() })
        changes.fetchRequestTemplates = NamedChange.between(
            before.fetchRequestTemplates, after.fetchRequestTemplates)
        changes.addedVersionIdentifiers =
            after.versionIdentifiers.subtracting(before.versionIdentifiers).sorted()
        changes.removedVersionIdentifiers =
            before.versionIdentifiers.subtracting(after.versionIdentifiers).sorted()
    }

    private func compositeChanges() -> [CompositeChange] {
        func byName(_ model: ManagedObjectModel) -> [String: CompositeDescription] {
            Dictionary(
                model.description.composites.map { ($0.name, $0) },
                uniquingKeysWith: { first, _ in first })
        }
        return NamedChange.between(byName(old), byName(new)).map { change in
            guard let old = change.old, let new = change.new else {
                return CompositeChange(old: change.old, new: change.new, elements: [])
            }
            return CompositeChange(from: old, to: new)
        }
    }
}
