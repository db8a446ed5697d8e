import Foundation

/// A mapping model whose names and expressions were resolved for two versions of a model.
package struct ResolvedMapping: Sendable {
    /// The rules of one entity mapping.
    package struct Rule: Sendable {
        package let mapping: EntityMapping
        package let source: Entity
        package let destination: Entity
        /// The values by the name of the attribute. Other attributes have their default values.
        package var attributes: [String: AttributeRule] = [:]
        /// The destinations by the name of the relationship.
        package var relationships: [String: RelationshipRule] = [:]
        /// The expressions that rows alone cannot answer, by the name of the property.
        package var expressions: [String: FetchExpression] = [:]

        /// The name of the entity mapping.
        package var name: String { mapping.name }
        /// The name of the policy. `nil` if the mapping has no policy.
        package var policy: String? { mapping.entityMigrationPolicyClassName }
        /// Whether the migration needs objects for this mapping.
        package var needsObjects: Bool { policy != nil || !expressions.isEmpty }
    }

    /// The value of an attribute.
    package enum AttributeRule: Sendable, Hashable {
        case constant(Value)
        /// The attribute at the end of to-one relationships of the source entity.
        case path([Relationship], Attribute)
    }

    /// The destinations of a relationship.
    package struct RelationshipRule: Sendable, Hashable {
        /// The relationships that lead from the source object to the objects whose successors are the
        /// destinations. Empty for the successor of the source object itself.
        package let path: [Relationship]
        /// The indices in ``ResolvedMapping/rules`` of the mappings whose objects are destinations.
        package let mappings: [Int]
    }

    /// Whether the migration needs objects.
    package var needsObjects: Bool { rules.contains(where: \.needsObjects) }

    package let old: ManagedObjectModel
    package let new: ManagedObjectModel
    /// The entity mappings that create objects, in order.
    package private(set) var rules: [Rule] = []
    /// What does not fit the two versions. A migration is refused unless this is empty.
    package private(set) var refusals: [InferenceFinding] = []
    /// What the old store has and the new one lacks.
    package private(set) var losses: [InferenceFinding] = []

    /// Resolves a mapping model. All problems are found, not only the first.
    package init(
        _ mapping: MappingModel, from old: ManagedObjectModel, to new: ManagedObjectModel
    ) {
        self.old = old
        self.new = new
        var accepted: [EntityMapping] = []
        for entityMapping in mapping.entityMappings {
            guard let rule = rule(entityMapping) else { continue }
            if accepted.contains(where: { $0.name == entityMapping.name }) {
                refuse(
                    rule.destination.name, nil, "two entity mappings have the name “\(rule.name)”")
                continue
            }
            rules.append(rule)
            accepted.append(entityMapping)
        }
        for (index, entityMapping) in accepted.enumerated() {
            for property in entityMapping.attributeMappings { resolve(property, index) }
            for property in entityMapping.relationshipMappings { relate(property, index) }
        }
        losses = old.entities.filter { entity in
            !entity.isAbstract && !rules.contains { $0.source == entity }
        }.map { InferenceFinding($0.name, nil, "its objects are removed") }
    }

    private mutating func refuse(_ entity: String, _ property: String?, _ reason: String) {
        refusals.append(InferenceFinding(entity, property, reason))
    }

    /// Returns the rule of a mapping without its properties, or `nil` if it creates no objects.
    private mutating func rule(_ mapping: EntityMapping) -> Rule? {
        let (sourceName, destinationName) = (
            mapping.sourceEntityName, mapping.destinationEntityName
        )
        let source = sourceName.flatMap(old.entity)
        let destination = destinationName.flatMap(new.entity)
        if let sourceName, source == nil {
            refuse(
                sourceName, nil,
                "the entity mapping “\(mapping.name)” reads it, but the version before has no such entity"
            )
            return nil
        }
        if let destinationName, destination == nil {
            refuse(
                destinationName, nil,
                "the entity mapping “\(mapping.name)” creates its objects, but the new version has no such"
                    + " entity")
            return nil
        }
        if let part = mapping.unsupportedPart {
            refuse(
                destinationName ?? sourceName ?? mapping.name, nil,
                "the entity mapping “\(mapping.name)” has \(part), which Cairn does not execute")
        }
        guard let source, let destination else { return nil }
        if destination.isAbstract {
            // Core Data's editor writes a mapping for each entity. Abstract entities have no objects.
            if !source.isAbstract {
                refuse(
                    destination.name, nil,
                    "the entity mapping “\(mapping.name)” creates its objects, but it is abstract")
            }
            return nil
        }
        return Rule(mapping: mapping, source: source, destination: destination)
    }

    // MARK: Attributes

    private mutating func resolve(_ mapping: PropertyMapping, _ index: Int) {
        let rule = rules[index]
        guard let attribute = rule.destination.attribute(named: mapping.name) else {
            return refuse(
                rule.destination.name, mapping.name,
                "the entity mapping “\(rule.name)” sets it, but the new version has no such attribute"
            )
        }
        guard let expression = mapping.valueExpression, !attribute.isDerived,
            !attribute.isTransient
        else { return }
        switch expression {
        case .constant(let value):
            guard let value = Value(any: value.anyValue, as: attribute.type) else {
                return refuse(
                    rule.destination.name, mapping.name,
                    "the entity mapping “\(rule.name)” sets it to \(value.typeDescription), but its type is"
                        + " \(attribute.type)")
            }
            rules[index].attributes[mapping.name] = .constant(value)
        case .function("now", _) where attribute.type == .date:
            rules[index].attributes[mapping.name] = .constant(.date(Date()))
        default:
            guard let names = expression.sourcePath, names.last?.hasPrefix("@") != true else {
                return needObjects(expression, mapping.name, index)
            }
            resolve(names, of: attribute, expression, index)
        }
    }

    private mutating func resolve(
        _ names: [String], of attribute: Attribute, _ expression: FetchExpression, _ index: Int
    ) {
        let rule = rules[index]
        guard let last = names.last,
            let hops = hops(names.dropLast(), from: rule.source, for: attribute.name, rule)
        else {
            return names.contains { $0.hasPrefix("@") }
                ? needObjects(expression, attribute.name, index) : ()
        }
        let end = hops.last?.destination ?? rule.source
        guard let read = end.attribute(named: last) else {
            let isKnown = end.property(named: last) != nil
            if isKnown { return needObjects(expression, attribute.name, index) }
            return refuse(
                rule.destination.name, attribute.name,
                "the entity mapping “\(rule.name)” reads “\(last)” of \(end.name), but the version before"
                    + " has no such property")
        }
        guard !read.isTransient, hops.allSatisfy({ !$0.isToMany }),
            read.type != .composite || read.composite == attribute.composite,
            // Other rows may keep their bytes elsewhere.
            read.type != .binary || hops.isEmpty
        else { return needObjects(expression, attribute.name, index) }
        guard read.type.mayBecome(attribute.type) else {
            // Xcode generates such an expression, and the policy sets the attribute instead.
            if rule.policy != nil { return needObjects(expression, attribute.name, index) }
            return refuse(
                rule.destination.name, attribute.name,
                "the entity mapping “\(rule.name)” sets it to “\(last)” of \(end.name), whose type is"
                    + " \(read.type), but its own type is \(attribute.type)")
        }
        rules[index].attributes[attribute.name] = .path(hops, read)
    }

    /// Returns the relationships along a path of names. Refuses the mapping and returns `nil` if a name is no
    /// relationship. Operators are skipped.
    private mutating func hops(
        _ names: some Sequence<String>, from source: Entity, for property: String, _ rule: Rule
    ) -> [Relationship]? {
        var hops: [Relationship] = []
        for name in names where !Self.flattening.contains(name) {
            let entity = hops.last?.destination ?? source
            if name.hasPrefix("@") { return nil }
            guard let relationship = entity.relationship(named: name), !relationship.isTransient
            else {
                refuse(
                    rule.destination.name, property,
                    "the entity mapping “\(rule.name)” follows “\(name)” of \(entity.name), but the"
                        + " version before has no such stored relationship")
                return nil
            }
            hops.append(relationship)
        }
        return hops
    }

    /// Operators that make one set of several. A set of destinations is flat anyway.
    private static let flattening: Set = [
        "@distinctUnionOfSets", "@unionOfSets", "@distinctUnionOfArrays", "@unionOfArrays",
        "@distinctUnionOfObjects", "@unionOfObjects",
    ]

    private mutating func needObjects(
        _ expression: FetchExpression, _ property: String, _ index: Int
    ) {
        rules[index].expressions[property] = expression
    }

    // MARK: Relationships

    private mutating func relate(_ mapping: PropertyMapping, _ index: Int) {
        let rule = rules[index]
        guard let relationship = rule.destination.relationship(named: mapping.name) else {
            return refuse(
                rule.destination.name, mapping.name,
                "the entity mapping “\(rule.name)” sets it, but the new version has no such"
                    + " relationship")
        }
        guard let expression = mapping.valueExpression, !relationship.isTransient else { return }
        guard case .function(let selector, let arguments) = expression, arguments.count == 3,
            arguments[0] == .variable("manager"), case .constant(.string(let name)) = arguments[1],
            let names = arguments[2].sourcePath
        else { return needObjects(expression, mapping.name, index) }
        var mappings: [Int]
        switch selector {
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            mappings = rules.indices.filter { rules[$0].name == name }
            if mappings.isEmpty {
                return refuse(
                    rule.destination.name, mapping.name,
                    "the entity mapping “\(rule.name)” leads to objects of the entity mapping “\(name)”, but"
                        + " there is no such entity mapping")
            }
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            mappings = Array(rules.indices)
        default: return needObjects(expression, mapping.name, index)
        }
        mappings = mappings.filter {
            rules[$0].destination.isKind(of: relationship.destination)
        }
        guard let hops = hops(names, from: rule.source, for: mapping.name, rule) else {
            return names.contains { $0.hasPrefix("@") }
                ? needObjects(expression, mapping.name, index) : ()
        }
        // Rows have one successor of each object.
        guard Set(mappings.map { rules[$0].source }).count == mappings.count,
            relationship.isToMany || hops.allSatisfy({ !$0.isToMany }),
            relationship.mayFollow(hops)
        else { return needObjects(expression, mapping.name, index) }
        rules[index].relationships[mapping.name] = RelationshipRule(
            path: hops, mappings: mappings)
    }
}

extension Relationship {
    /// Whether following a path for each object keeps the relationship consistent. In a one-to-one relationship,
    /// no two objects may lead to the same one.
    fileprivate func mayFollow(_ path: [Relationship]) -> Bool {
        guard !isToMany, let inverse, !inverse.isToMany else { return true }
        return path.allSatisfy { $0.inverse.map { !$0.isToMany } ?? false }
    }
}

extension FetchExpression {
    /// The names of a path from `$source` or SELF, which is the source object as well. Empty for the source
    /// object itself. `nil` if the expression is no such path.
    package var sourcePath: [String]? {
        switch self {
        case .variable("source"), .evaluatedObject: []
        case .keyPath(let names): names
        case .keyPathOf(let base, let names): base.sourcePath.map { $0 + names }
        default: nil
        }
    }
}

extension AttributeType {
    /// Whether a mapping may set an attribute of another type to values of this type. Numbers may become
    /// numbers of any type; a value outside of the range ends the migration.
    fileprivate func mayBecome(_ other: AttributeType) -> Bool {
        self == other || convertsLosslessly(to: other) || isNumeric && other.isNumeric
    }
}
