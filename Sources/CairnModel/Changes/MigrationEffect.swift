/// The origin of every entity and every property after a sequence of migrations, expressed in parts of the
/// first version.
///
/// If two sequences between the same versions have equal origins, they give every object the same values.
/// The reverse is not guaranteed: a value that was converted twice counts as different.
struct MigrationEffect: Equatable {
    /// The origin of the values of a property.
    indirect enum Origin: Hashable {
        /// An attribute of the first version, or a relationship and its members.
        case property(entity: String, name: String)
        /// The same value for every object. `.null` if the property has no value.
        case constant(Value)
        /// The store computes the values.
        case computed
        case converted(Origin, from: ValueForm, to: ValueForm)
        /// A default value replaces `nil`.
        case filled(Origin, with: Value)
        /// A relationship, or its inverse, of the first version. Only objects of these entities of the first
        /// version remain as owners and members.
        case related(
            entity: String, name: String, isInverse: Bool, owners: Set<String>, members: Set<String>
        )
        case union(Set<Origin>)
    }

    /// The form in which an attribute's values are stored.
    struct ValueForm: Hashable {
        let type: AttributeType
        /// The composite, followed by the composites that it contains.
        let composites: [CompositeDescription]
    }

    /// The origins of one entity of the current version, whose objects come from the first version.
    private struct Content: Equatable {
        /// The entity of the first version.
        let entity: String
        var values: [String: Origin] = [:]
        /// The origin of the members' order, for each ordered relationship.
        var orders: [String: Origin] = [:]
    }

    /// The current version.
    private var model: ManagedObjectModel
    /// The contents by entity name. Entities that have no objects of the first version are left out.
    private var contents: [String: Content] = [:]

    /// Creates the effect of no migration.
    init(of model: ManagedObjectModel) {
        self.model = model
        for entity in model.entities {
            var content = Content(entity: entity.name)
            for property in entity.properties {
                switch property {
                case .attribute(let attribute) where !attribute.isTransient:
                    content.values[attribute.name] = .property(
                        entity: entity.name, name: attribute.name)
                case .relationship(let relationship) where !relationship.isTransient:
                    content.values[relationship.name] = Origin(relationship)
                    content.orders[relationship.name] =
                        relationship.isOrdered
                        ? .property(entity: entity.name, name: relationship.name) : nil
                default: break
                }
            }
            contents[entity.name] = content
        }
    }

    /// Creates the effect of migrating through versions of a model, in this order.
    ///
    /// - Precondition: There is at least one version.
    init(through versions: [ManagedObjectModel]) {
        self.init(of: versions[0])
        for version in versions.dropFirst() {
            if ModelComparison(from: model, to: version).requiresMigration {
                migrate(to: version)
            } else {
                model = version
            }
        }
    }

    /// Creates the effect of stages that lead to a version, or to one with the same version hashes.
    ///
    /// - Precondition: There is at least one stage.
    init(of stages: [MigrationRoute.Stage], to destination: ManagedObjectModel) {
        self.init(of: stages[0].source)
        for stage in stages {
            // The hashes of the two versions are equal, so the same names stand for the same values.
            model = stage.source
            migrate(to: stage.destination)
        }
        model = destination
    }

    static func == (left: Self, right: Self) -> Bool { left.contents == right.contents }

    // MARK: One migration

    private mutating func migrate(to new: ManagedObjectModel) {
        let matching = ModelCorrespondence(from: model, to: new)
        var next: [String: Content] = [:]
        for entity in new.entities {
            guard let before = matching.oldEntity(of: entity), let old = contents[before.name]
            else { continue }
            var content = Content(entity: old.entity)
            for attribute in entity.attributes where !attribute.isTransient {
                content.values[attribute.name] = origin(of: attribute, in: entity, old, matching)
            }
            next[entity.name] = content
        }
        // The objects that may remain as members are known only after all entities.
        let origins = next.mapValues(\.entity)
        for name in next.keys {
            for relationship in new.entity(named: name)?.relationships ?? []
            where !relationship.isTransient {
                let found = origin(of: relationship, in: name, matching)
                next[name]?.values[relationship.name] = found.values.keeping(
                    owners: Set(relationship.entity.hierarchy.compactMap { origins[$0.name] }),
                    members: Set(relationship.destination.hierarchy.compactMap { origins[$0.name] })
                )
                next[name]?.orders[relationship.name] = found.order
            }
        }
        (model, contents) = (new, next)
    }

    private func origin(
        of attribute: Attribute, in entity: Entity, _ old: Content, _ matching: ModelCorrespondence
    ) -> Origin {
        let after = attribute.description
        if after.derivation != nil { return .computed }
        guard
            case .attribute(let before)? = matching.oldProperty(named: attribute.name, of: entity),
            let origin = old.values[before.name]
        else { return .constant(after.defaultValue) }
        let converted = origin.converted(
            from: ValueForm(before.description, in: matching.old),
            to: ValueForm(after, in: matching.new))
        return before.isOptional && !attribute.isOptional
            ? converted.filled(with: after.defaultValue) : converted
    }

    private func origin(
        of relationship: Relationship, in entity: String, _ matching: ModelCorrespondence
    ) -> (values: Origin, order: Origin?) {
        let near = origin(
            continuedBy: relationship, in: matching.new.entity(named: entity), matching)
        let order = relationship.isOrdered ? near?.order ?? .constant(.null) : nil
        // The members of a to-many relationship are those objects whose to-one inverse leads to the owner.
        let followsInverse = relationship.isToMany && !relationship.isManyToMany
        if !followsInverse, let near { return (near.values, order) }
        guard relationship.isToMany, let inverse = relationship.inverse else {
            return (.constant(.null), order)
        }
        let sources = inverse.entity.hierarchy.compactMap { far in
            origin(continuedBy: inverse, in: far, matching)?.values.inverted
        }
        return (Origin(Set(sources)), order)
    }

    private func origin(
        continuedBy relationship: Relationship, in entity: Entity?, _ matching: ModelCorrespondence
    ) -> (values: Origin, order: Origin?)? {
        guard let entity, let before = matching.oldEntity(of: entity),
            let content = contents[before.name],
            case .relationship(let old)? = matching.oldProperty(
                named: relationship.name, of: entity),
            let values = content.values[old.name]
        else { return nil }
        return (values, content.orders[old.name])
    }
}

// MARK: - Differences

extension MigrationEffect {
    /// The entities and properties of the first version whose objects and values are kept.
    var keptParts: Set<String> {
        var parts: Set<String> = []
        for content in contents.values {
            parts.insert(content.entity)
            parts.formUnion(content.values.values.compactMap(\.source))
        }
        return parts
    }

    /// Returns a finding for each entity and each property whose origin is another one in `direct`, which is
    /// the effect of the direct migration to the same version. Inherited properties are reported once.
    ///
    /// - Parameters:
    ///   - way: What `direct` is the effect of, in words.
    ///   - ofSourcesOnly: Whether properties whose values come from the same property count as equal.
    func differences(
        from direct: MigrationEffect, in way: String = "a direct migration",
        ofSourcesOnly: Bool = false
    ) -> [InferenceFinding] {
        var findings: [InferenceFinding] = []
        for entity in model.entities {
            let (here, there) = (contents[entity.name], direct.contents[entity.name])
            guard here?.entity == there?.entity else {
                let (source, other) = (Self.words(here?.entity), Self.words(there?.entity))
                findings.append(
                    InferenceFinding(
                        entity.name, nil, "its objects \(source), but \(other) in \(way)"))
                continue
            }
            guard let here, let there else { continue }
            for property in entity.properties {
                let name = property.name
                let difference = Self.difference(
                    here.values[name], there.values[name], in: way, ofSourcesOnly)
                let hasOtherOrder = !ofSourcesOnly && here.orders[name] != there.orders[name]
                guard
                    let reason = difference
                        ?? (hasOtherOrder ? "its members have another order than in \(way)" : nil)
                else { continue }
                let finding = InferenceFinding(property.declaringEntity, name, reason)
                if !findings.contains(finding) { findings.append(finding) }
            }
        }
        return findings
    }

    /// Returns how the values of a property differ, or `nil` if they do not.
    private static func difference(
        _ here: Origin?, _ there: Origin?, in way: String, _ ofSourcesOnly: Bool
    ) -> String? {
        if here == there { return nil }
        let (source, other) = (here?.source, there?.source)
        if source != other { return "its values \(words(source)), but \(words(other)) in \(way)" }
        return ofSourcesOnly
            ? nil : "its values are converted, filled or removed differently than in \(way)"
    }

    private static func words(_ source: String?) -> String {
        source.map { "come from “\($0)”" } ?? "are new"
    }
}

extension Property {
    fileprivate var declaringEntity: String {
        switch self {
        case .attribute(let it): it.entity.name
        case .relationship(let it): it.entity.name
        case .fetchedProperty(let it): it.entity.name
        }
    }
}

// MARK: - Origins

extension MigrationEffect.ValueForm {
    fileprivate init(_ attribute: AttributeDescription, in model: ManagedObjectModel) {
        type = attribute.type
        var found: [CompositeDescription] = []
        var names = attribute.type == .composite ? [attribute.compositeName] : []
        while let name = names.popLast() {
            guard let composite = name.flatMap(model.composite), !found.contains(composite)
            else { continue }
            found.append(composite)
            names += composite.elements.filter { $0.type == .composite }.map(\.compositeName)
        }
        composites = found
    }
}

extension MigrationEffect.Origin {
    /// Creates the origin of a relationship of the first version. Both sides of a relationship have the same
    /// origin, one of them inverted.
    fileprivate init(_ relationship: Relationship) {
        let owners = Set(relationship.entity.hierarchy.map(\.name))
        let members = Set(relationship.destination.hierarchy.map(\.name))
        if let inverse = relationship.inverse,
            (inverse.entity.name, inverse.name) < (relationship.entity.name, relationship.name)
        {
            self = .related(
                entity: inverse.entity.name, name: inverse.name, isInverse: true, owners: owners,
                members: members)
        } else {
            self = .related(
                entity: relationship.entity.name, name: relationship.name, isInverse: false,
                owners: owners, members: members)
        }
    }

    fileprivate init(_ origins: Set<Self>) {
        self = origins.count > 1 ? .union(origins) : origins.first ?? .constant(.null)
    }

    /// The entity and the name of the property of the first version, or `nil` if no value comes from it.
    fileprivate var source: String? {
        switch self {
        case .property(let entity, let name), .related(let entity, let name, _, _, _):
            "\(entity).\(name)"
        case .converted(let origin, _, _), .filled(let origin, _): origin.source
        case .union(let origins): origins.compactMap(\.source).min()
        case .constant, .computed: nil
        }
    }

    fileprivate func converted(
        from old: MigrationEffect.ValueForm, to new: MigrationEffect.ValueForm
    ) -> Self {
        guard old != new else { return self }
        if case .constant(let value) = self, let converted = old.type.convert(value, to: new.type) {
            return .constant(converted)
        }
        return .converted(self, from: old, to: new)
    }

    fileprivate func filled(with value: Value) -> Self {
        switch self {
        case .constant(.null): .constant(value)
        case .constant, .filled, .computed: self
        default: value == .null ? self : .filled(self, with: value)
        }
    }

    /// The same relationship, seen from its members.
    fileprivate var inverted: Self {
        switch self {
        case .related(let entity, let name, let isInverse, let owners, let members):
            .related(
                entity: entity, name: name, isInverse: !isInverse, owners: members, members: owners)
        case .union(let origins): .union(Set(origins.map(\.inverted)))
        default: self
        }
    }

    fileprivate func keeping(owners: Set<String>, members: Set<String>) -> Self {
        switch self {
        case .related(let entity, let name, let isInverse, let formerOwners, let formerMembers):
            .related(
                entity: entity, name: name, isInverse: isInverse,
                owners: formerOwners.intersection(owners),
                members: formerMembers.intersection(members))
        case .union(let origins):
            .union(Set(origins.map { $0.keeping(owners: owners, members: members) }))
        default: self
        }
    }
}
