/// All differences between two versions of a model.
///
/// This type only describes the changes. `InferenceVerdict` says whether they can be migrated. An entity
/// or property of one version corresponds to one of the other if the names are equal, or if a renaming
/// identifier says so.
///
/// There are no changes between two models exactly if their descriptions are equal, ignoring the order of
/// constraints, compound indexes and members of configurations.
public struct ModelChanges: Sendable, Hashable {
    /// The entities that were added, removed or changed, sorted by the UTF-8 bytes of ``EntityChange/name``.
    package var entities: [EntityChange] = []
    /// The composites that were added, removed or changed, sorted by name.
    package var composites: [CompositeChange] = []
    /// The configurations that were added, removed or changed, sorted by name. The members are sorted, and
    /// renamed members of the old model are listed with their new names.
    package var configurations: [NamedChange<[String]>] = []
    /// The fetch requests that were added, removed or changed, sorted by name.
    package var fetchRequestTemplates: [NamedChange<FetchRequestTemplate>] = []
    /// The version identifiers that only the new model has, sorted.
    package var addedVersionIdentifiers: [String] = []
    /// The version identifiers that only the old model has, sorted.
    package var removedVersionIdentifiers: [String] = []
    /// Old names that several new entities or properties claim to continue.
    package var contestedNames: [ContestedName] = []
    /// Entities and properties that continue another one by their renaming identifiers, although the version
    /// hashes of both models are equal: their names are exchanged. Stores of the old model open with the
    /// new one, and the values stay under their old names. Empty if a migration is required.
    package var unnoticedRenames: [InferenceFinding] = []
    /// Whether the version hash of an entity differs, so that a store of the old model must be migrated
    /// before it can be used with the new one. For entities whose recorded hash is not exact
    /// (``Entity/isVersionHashExact``), hashes computed by the formula are compared.
    package var requiresMigration = false

    /// Compares two versions of a model.
    ///
    /// Takes time proportional to the number of properties. A property that several entities inherit counts
    /// once for each of them.
    public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self = ModelComparison(from: old, to: new).changes()
    }

    init() {}

    /// Whether the models are the same.
    package var isEmpty: Bool {
        entities.isEmpty && composites.isEmpty && configurations.isEmpty
            && fetchRequestTemplates.isEmpty && addedVersionIdentifiers.isEmpty
            && removedVersionIdentifiers.isEmpty
    }
}

/// The change of a part that has the same name in both models: an index, a configuration or a fetch
/// request.
package struct NamedChange<Part: Sendable & Hashable>: Sendable, Hashable {
    /// The name in both models. These parts have no renaming identifier.
    package var name: String
    /// The part in the old model, or `nil` if the part was added.
    package var old: Part?
    /// The part in the new model, or `nil` if the part was removed.
    package var new: Part?

    /// Returns the differences between two sets of parts, sorted by name.
    static func between(_ old: [String: Part], _ new: [String: Part]) -> [NamedChange] {
        Set(old.keys).union(new.keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .compactMap { name in
                old[name] == new[name]
                    ? nil : NamedChange(name: name, old: old[name], new: new[name])
            }
    }
}

/// The change of one composite between two versions of a model.
package struct CompositeChange: Sendable, Hashable {
    /// The composite in the old model, or `nil` if the composite was added.
    package var old: CompositeDescription?
    /// The composite in the new model, or `nil` if the composite was removed.
    package var new: CompositeDescription?
    /// The elements that were added, removed or changed, sorted by name. Empty for a composite that was added
    /// or removed. The declaring entity of each side is the name of the composite.
    package var elements: [PropertyChange]

    /// The name of the composite, which is the same in both models because composites cannot be renamed.
    package var name: String { (new ?? old)?.name ?? "" }
}

extension CompositeChange {
    init(from old: CompositeDescription, to new: CompositeDescription) {
        func sides(_ composite: CompositeDescription) -> [PropertyChange.Side] {
            composite.elements.map {
                PropertyChange.Side(declaringEntity: composite.name, property: .attribute($0))
            }
        }
        let matching = PropertyMatching(old: sides(old), new: sides(new))
        self.init(
            old: old, new: new,
            elements: matching.changes { PropertyComparison(old: $0, new: $1).aspects() })
    }
}

/// A part of the old model that several parts of the new model claim to continue, so it is ambiguous which
/// of them receives its values.
package struct ContestedName: Sendable, Hashable {
    /// The new name of the entity that the properties belong to, or `nil` if the parts are entities.
    package var entity: String?
    /// The name of the part in the old model.
    package var old: String
    /// The sorted names of the parts in the new model that claim the old part, either by a renaming
    /// identifier or because they have its name.
    package var claimants: [String]
}

extension ModelChanges {
    /// Whether the new model looks like a later version of the old one. It does if a renaming identifier in
    /// it refers to a name of the old model, or if it adds parts to the old model and removes none.
    ///
    /// This is a guess, because a model does not record when it was made.
    var isProbablyUpgrade: Bool {
        if entities.contains(where: \.hasExplicitRename) { return true }
        let (added, removed) = (additionCount, removalCount)
        return added > 0 && removed == 0
    }

    private var additionCount: Int {
        entities.reduce(0) { count, change in
            count + (change.old == nil ? 1 : 0) + change.properties.filter { $0.old == nil }.count
        }
    }

    private var removalCount: Int {
        entities.reduce(0) { count, change in
            count + (change.new == nil ? 1 : 0) + change.properties.filter { $0.new == nil }.count
        }
    }
}

extension EntityChange {
    /// Whether the new entity or one of its properties was renamed and has the old name as its renaming
    /// identifier.
    fileprivate var hasExplicitRename: Bool {
        if let old, let new, old.name != new.name, new.renamingIdentifier == old.name {
            return true
        }
        return properties.contains { change in
            guard let old = change.old?.property, let new = change.new?.property else {
                return false
            }
            return old.name != new.name && new.renamingIdentifier == old.name
        }
    }
}

extension ModelChanges: CustomStringConvertible {
    /// The lines of ``lines``, joined. Empty if the models are the same.
    public var description: String { lines.joined(separator: "\n") }

    /// The changes in words, one line for each entity or other part that changed. An entity that only
    /// inherits the changes of its superentity has no line.
    public var lines: [String] {
        entities.filter { !$0.isInherited }.map(\.description)
            + composites.map(\.description)
            + ModelChanges.changes(configurations, "configuration")
            + ModelChanges.changes(fetchRequestTemplates, "fetch request")
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

extension ModelChanges {
    /// Joins phrases with commas and “and”: `a`, `a and b`, or `a, b and c`.
    static func list(_ phrases: [String]) -> String {
        guard let last = phrases.last, phrases.count > 1 else { return phrases.first ?? "" }
        return phrases.dropLast().joined(separator: ", ") + " and " + last
    }

    /// Returns `is now` or `is no longer`, followed by a word.
    static func flag(_ isOn: Bool, _ word: String) -> String {
        "is \(isOn ? "now" : "no longer") \(word)"
    }

    /// Returns a phrase that says whether a setting was added, removed or replaced.
    static func text(_ what: String, _ old: String?, _ new: String?) -> String {
        switch (old, new) {
        case (nil, let new?): "now has the \(what) \(new)"
        case (let old?, nil): "no longer has the \(what) \(old)"
        case (let old?, let new?): "has the \(what) \(new) instead of \(old)"
        case (nil, nil): "has the same \(what)"
        }
    }

    static func changes<Part>(
        _ changes: [NamedChange<Part>], _ what: String
    ) -> [String] {
        changes.map { change in
            let verb =
                switch (change.old, change.new) {
                case (nil, _): "was added"
                case (_, nil): "was removed"
                default: "was changed"
                }
            return "\(what) \(change.name) \(verb)"
        }
    }
}
