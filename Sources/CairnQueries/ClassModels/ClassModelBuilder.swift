import CairnModel
import CairnObjects

/// A builder that creates the description of a model from classes.
struct ClassModelBuilder {
    private let classes: [ManagedObject.Type]
    /// The problems found so far. `source` is a file and line, or `nil` if these are the ones of the property
    /// in `sources`.
    private var problems: [(ModelProblem, source: String?)] = []
    /// The file and line of each declaration. The key is `Entity.property`, or `Entity` for the entity as a
    /// whole.
    private var sources: [String: String] = [:]
    /// The relationships that have no inverse by declaration, as `Entity.property`.
    private var oneWay: Set<String> = []
    /// The names of the entities of each configuration.
    private var configurations: [String: [String]] = [:]
    /// The composites in the order in which the classes use them. A nested composite precedes the one that
    /// contains it.
    private var composites:
        [(type: any CompositeAttribute.Type, description: CompositeDescription)] =
            []

    init(_ classes: [ManagedObject.Type]) { self.classes = classes }

    /// Returns the description. The entities are in the order of the classes.
    ///
    /// - Throws: `.invalid`, with all problems that are specific to classes.
    mutating func description() throws(ModelError) -> ModelDescription {
        var entities: [EntityDescription] = []
        for objectClass in classes { entities.append(entity(of: objectClass)) }
        addInverses(to: &entities)
        inferInverses(in: &entities)
        guard problems.isEmpty else {
            throw .invalid(problems.map { located($0, at: $1) })
        }
        var description = ModelDescription(entities)
        description.composites = composites.map(\.description)
        description.configurations = configurations
        return description
    }

    /// Returns the problem with the file and line of its declaration added to the detail.
    func located(_ problem: ModelProblem) -> ModelProblem { located(problem, at: nil) }

    private func located(_ problem: ModelProblem, at source: String?) -> ModelProblem {
        let key = [problem.entity, problem.property].compactMap(\.self).joined(separator: ".")
        guard let source = source ?? sources[key] ?? sources[problem.entity] else { return problem }
        var problem = problem
        problem.detail += " (\(source))"
        return problem
    }

    private mutating func entity(of objectClass: ManagedObject.Type) -> EntityDescription {
        let name = "\(objectClass)"
        let superclass = listedSuperclass(of: objectClass)
        var entity = EntityDescription(name, superentity: superclass.map { "\($0)" })
        entity.managedObjectClassName = name
        let inherited = Set(superclass.map { ClassMarks.of($0).marks.map(\.name) } ?? [])
        for mark in ClassMarks.of(objectClass).marks where !inherited.contains(mark.name) {
            entity.properties.append(property(of: mark, name))
        }
        let settings = objectClass.entitySettings
        guard settings.objectClass == objectClass else { return entity }
        sources[name] = settings.source
        for setting in settings.settings {
            apply(setting, to: &entity)
            check(setting, ClassMarks.of(objectClass).marks, name)
        }
        return entity
    }

    /// Returns the nearest superclass that is in `classes`.
    private func listedSuperclass(of objectClass: ManagedObject.Type) -> ManagedObject.Type? {
        var current: AnyClass? = _getSuperclass(objectClass)
        while let candidate = current as? ManagedObject.Type {
            if classes.contains(where: { $0 == candidate }) { return candidate }
            current = _getSuperclass(candidate)
        }
        return nil
    }

    private mutating func property(
        of mark: ClassMarks.Mark, _ entity: String
    ) -> PropertyDescription {
        switch mark.type._shape {
        case .attribute(let types, let readsNil):
            return .attribute(attribute(mark.name, mark.type, types, readsNil, entity))
        case .toOne(let destination):
            return .relationship(.toOne(mark.name, name(of: destination, entity, mark.name)))
        case .toMany(let destination, let isOrdered):
            return .relationship(
                .toMany(
                    mark.name, name(of: destination, entity, mark.name), isOrdered: isOrdered))
        }
    }

    private mutating func attribute(
        _ name: String, _ type: any ManagedProperty.Type, _ types: [AttributeType],
        _ readsNil: Bool, _ owner: String
    ) -> AttributeDescription {
        let attributeType = types.first ?? .undefined
        let isScalar = attributeType.isNumeric || attributeType == .boolean
        // A required number always has a value. For an array, a missing value means no elements, so it may be
        // nil.
        let isOptional = type is any OptionalType.Type || readsNil && !isScalar
        var attribute = AttributeDescription(name, attributeType, isOptional: isOptional)
        attribute.usesScalarValueType = isScalar && !isOptional
        if let structure = type.compositeType {
            attribute.compositeName = structure.compositeName
            addComposite(structure, of: name, owner)
        }
        return attribute
    }

    /// Adds the composite of a structure, unless it was added before.
    private mutating func addComposite(
        _ structure: any CompositeAttribute.Type, of property: String, _ owner: String
    ) {
        let name = structure.compositeName
        if let known = composites.first(where: { $0.description.name == name }) {
            if known.type == structure { return }
            let problem = ModelProblem(
                .duplicateComposite, entity: owner, property: property,
                "another structure already declares the composite “\(name)”")
            return problems.append((problem, nil))
        }
        var composite = CompositeDescription(name, [])
        for setting in structure.elementSettings {
            guard case .attribute(let types, let readsNil) = setting.type._shape else { continue }
            var element = attribute(setting.name, setting.type, types, readsNil, name)
            for option in setting.options { element.apply(option) }
            element.defaultValue = setting.defaultValue
            element.renamingIdentifier = setting.originalName
            element.versionHashModifier = setting.hashModifier
            if element.isTransient || element.derivation != nil {
                let problem = ModelProblem(
                    .invalidDerivation, entity: name, property: setting.name,
                    "an element of a composite cannot be transient or derived")
                problems.append((problem, nil))
            }
            composite.elements.append(element)
        }
        composites.append((structure, composite))
    }

    private mutating func name(
        of destination: ManagedObject.Type, _ entity: String, _ property: String
    ) -> String {
        if !classes.contains(where: { $0 == destination }) {
            let problem = ModelProblem(
                .unknownDestination, entity: entity, property: property,
                "the class \(destination) is not among the model's classes")
            problems.append((problem, nil))
        }
        return "\(destination)"
    }

    // MARK: Settings

    private mutating func apply(_ setting: EntitySetting, to entity: inout EntityDescription) {
        switch setting.kind {
        case .entity(let isAbstract, let configuration, let originalName, let hashModifier):
            entity.isAbstract = isAbstract
            if let configuration { configurations[configuration, default: []].append(entity.name) }
            entity.renamingIdentifier = originalName
            entity.versionHashModifier = hashModifier
        case .attribute(let settings):
            sources["\(entity.name).\(settings.name)"] = setting.source
            change(settings.name, of: &entity, "attribute") { property in
                guard case .attribute(var attribute) = property else { return false }
                for option in settings.options { attribute.apply(option) }
                attribute.defaultValue = settings.defaultValue
                attribute.renamingIdentifier = settings.originalName
                attribute.versionHashModifier = settings.hashModifier
                property = .attribute(attribute)
                return true
            }
        case .relationship(let settings):
            sources["\(entity.name).\(settings.name)"] = setting.source
            if settings.inverse == .none { oneWay.insert("\(entity.name).\(settings.name)") }
            change(settings.name, of: &entity, "relationship") { property in
                guard case .relationship(var relationship) = property else { return false }
                relationship.deleteRule = settings.deleteRule
                relationship.inverse = settings.inverse.name
                relationship.isOptional = settings.isOptional
                relationship.renamingIdentifier = settings.originalName
                relationship.versionHashModifier = settings.hashModifier
                if let counts = settings.counts {
                    (relationship.minimumCount, relationship.maximumCount) =
                        (counts.lowerBound, counts.upperBound)
                }
                property = .relationship(relationship)
                return true
            }
        case .reference(let settings):
            sources["\(entity.name).\(settings.name)"] = setting.source
            change(settings.name, of: &entity, "optional object") { property in
                guard case .relationship(let destination) = property, !destination.isToMany else {
                    return false
                }
                var attribute = AttributeDescription(settings.name, settings.type)
                attribute.refer(to: destination.destination, by: settings.key)
                attribute.renamingIdentifier = settings.originalName
                attribute.versionHashModifier = settings.hashModifier
                property = .attribute(attribute)
                return true
            }
            entity.addIndex([settings.name])
        case .fetchedProperty(let property):
            sources["\(entity.name).\(property.name)"] = setting.source
            if case .unreadable(_, let reason)? = property.template.condition {
                let problem = ModelProblem(
                    .unreadablePredicate, entity: entity.name, property: property.name,
                    "its predicate cannot be read: \(reason.prefix { !$0.isNewline })")
                problems.append((problem, nil))
            }
            entity.properties.append(.fetchedProperty(property))
        case .unique(let names):
            if !entity.uniquenessConstraints.contains(names) {
                entity.uniquenessConstraints.append(names)
            }
        case .index(let names): entity.addIndex(names)
        }
    }

    /// Reports properties that cannot be unique or indexed. Unknown names are reported by the model itself.
    private mutating func check(
        _ setting: EntitySetting, _ marks: [ClassMarks.Mark], _ entity: String
    ) {
        let names: [String]
        let verb: String
        switch setting.kind {
        case .unique(let list): (names, verb) = (list, "unique")
        case .index(let list): (names, verb) = (list, "indexed")
        case .entity, .attribute, .relationship, .reference, .fetchedProperty: return
        }
        for path in names {
            let name = String(path.prefix { $0 != "." })
            guard let mark = marks.first(where: { $0.name == name }) else {
                sources["\(entity).\(path)"] = setting.source
                continue
            }
            let problem: String
            switch mark.type._shape {
            case .toMany: problem = "a to-many relationship cannot be \(verb)"
            case .toOne where path != name:
                problem =
                    "“\(path)” leads to another object, whose properties cannot be \(verb) here"
            case .attribute, .toOne: continue
            }
            let kind =
                verb == "unique"
                ? ModelProblem.Kind.unknownConstraintProperty : .unknownIndexProperty
            problems.append(
                (ModelProblem(kind, entity: entity, property: name, problem), setting.source))
        }
    }

    /// Changes a property of the entity. `body` returns whether the property is of the expected kind.
    private mutating func change(
        _ name: String, of entity: inout EntityDescription, _ expected: String,
        _ body: (inout PropertyDescription) -> Bool
    ) {
        var isChanged = false
        entity.properties = entity.properties.map { property in
            var property = property
            if property.name == name { isChanged = body(&property) }
            return property
        }
        if isChanged { return }
        let problem = ModelProblem(
            .unknownConstraintProperty, entity: entity.name, property: name,
            "the class itself declares no \(expected) with this name")
        problems.append((problem, nil))
    }

    /// Sets the inverse of each relationship that the other side names as its inverse.
    private func addInverses(to entities: inout [EntityDescription]) {
        for (relationship, owner) in relationships(of: entities) {
            guard let inverse = relationship.inverse else { continue }
            set(relationship.name, asInverseOf: inverse, of: relationship.destination, &entities) {
                $0.destination == owner
            }
        }
    }

    /// Makes two relationships each other's inverses if the classes say nothing about the inverse of either,
    /// and no other relationship connects their two entities. If several do, reports that.
    private mutating func inferInverses(in entities: inout [EntityDescription]) {
        let all = relationships(of: entities)
        let undeclared = all.filter { relationship, owner in
            relationship.inverse == nil && !oneWay.contains("\(owner).\(relationship.name)")
        }
        var reported: Set<Set<String>> = []
        for (relationship, owner) in undeclared {
            let ends: Set = [owner, relationship.destination]
            let back = undeclared.filter {
                $0.owner == relationship.destination && $0.relationship.destination == owner
            }
            // A relationship of an entity with itself is never the inverse of itself.
            if back.count < (ends.count == 1 ? 2 : 1) { continue }
            let between = all.filter { [$0.owner, $0.relationship.destination] == ends }
            if ends.count == 2, between.count == 2 {
                set(back[0].relationship.name, asInverseOf: relationship.name, of: owner, &entities)
            } else if reported.insert(ends).inserted {
                let other = back.last { $0.relationship != relationship } ?? back[0]
                report(relationship, of: owner, other, among: between)
            }
        }
    }

    private mutating func report(
        _ relationship: RelationshipDescription, of owner: String, _ other: OwnedRelationship,
        among all: [OwnedRelationship]
    ) {
        let names = all.map { "\($0.owner).\($0.relationship.name)" }.joined(separator: ", ")
        let problem = ModelProblem(
            .inverseMismatch, entity: owner, property: relationship.name,
            "the inverse cannot be inferred, because several relationships connect the same classes"
                + " (\(names)); name it in the entitySettings of one of them, as in"
                + " .relationship(\"\(relationship.name)\", inverse: .named("
                + "\"\(other.relationship.name)\", \\\(other.owner).\(other.relationship.name)))"
                + ", or declare inverse: .none")
        problems.append((problem, nil))
    }

    private typealias OwnedRelationship = (relationship: RelationshipDescription, owner: String)

    private func relationships(of entities: [EntityDescription]) -> [OwnedRelationship] {
        entities.flatMap { entity in
            entity.properties.compactMap { property in
                guard case .relationship(let relationship) = property else { return nil }
                return (relationship, entity.name)
            }
        }
    }

    /// Sets the inverse of a relationship that has none and is not declared to have none.
    private func set(
        _ inverse: String, asInverseOf name: String, of owner: String,
        _ entities: inout [EntityDescription],
        where isRight: (RelationshipDescription) -> Bool = { _ in true }
    ) {
        guard !oneWay.contains("\(owner).\(name)") else { return }
        for index in entities.indices where entities[index].name == owner {
            entities[index].properties = entities[index].properties.map { property in
                guard case .relationship(var relationship) = property, relationship.name == name,
                    relationship.inverse == nil, isRight(relationship)
                else { return property }
                relationship.inverse = inverse
                return .relationship(relationship)
            }
        }
    }
}

extension EntityDescription {
    /// Adds an index of properties, unless there is one. The property and the class may both declare it.
    fileprivate mutating func addIndex(_ names: [String]) {
        let index = FetchIndexDescription(
            "by" + names.map(\.inIndexName).joined(separator: "And"),
            elements: names.map { .init($0) })
        if !fetchIndexes.contains(index) { fetchIndexes.append(index) }
    }
}

extension PropertyDescription {
    fileprivate var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        case .fetchedProperty(let property): property.name
        }
    }
}

extension String {
    /// The name with a capital letter. In the path of a composite's element, each name is capitalized and the
    /// dots are removed.
    fileprivate var inIndexName: String {
        split(separator: ".").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

extension ManagedObjectModel {
    /// Creates a model from classes. Each class becomes an entity with the class's name and its ``Managed``
    /// properties.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(for: Author.self, Book.self)
    /// ```
    ///
    /// A subclass of a listed class becomes a subentity. A property without an optional type is required,
    /// unless ``ManagedObject/entitySettings`` says otherwise. A ``CompositeAttribute`` becomes a composite
    /// of the model. Only one of the two sides of a relationship needs to name the inverse, and neither if the two
    /// are the only relationships between their classes: see ``InverseProperty/inferred``.
    ///
    /// - Throws: `.invalid`, with every problem found. Each problem has the file and line of the declaration
    ///   that caused it.
    public convenience init(for classes: ManagedObject.Type...) throws(ModelError) {
        try self.init(for: classes)
    }

    /// Creates a model from an array of classes. Otherwise the same as the other initializer.
    ///
    /// - Throws: The same errors as the other initializer.
    public convenience init(for classes: [ManagedObject.Type]) throws(ModelError) {
        var builder = ClassModelBuilder(classes)
        let description = try builder.description()
        do {
            try self.init(description)
        } catch .invalid(let problems) {
            throw .invalid(problems.map(builder.located))
        }
        ModelClasses.note(classes, of: self)
    }
}
