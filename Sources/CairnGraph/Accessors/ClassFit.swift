import CairnModel

/// A comparison of a class's marked properties with an entity.
struct ClassFit {
    private(set) var misfits: [ClassMisfit] = []
    /// The classes that relationship properties declare for their destinations, with the entities of the
    /// destinations.
    private(set) var destinations: [(entity: Entity, memberClass: ManagedObject.Type)] = []
    private let objectClass: ManagedObject.Type
    private let entity: Entity
    private let classes: ObjectClasses

    /// - Parameter classes: the known classes of the model's entities.
    init(_ objectClass: ManagedObject.Type, _ entity: Entity, _ classes: ObjectClasses) {
        self.objectClass = objectClass
        self.entity = entity
        self.classes = classes
        for mark in ClassMarks.of(objectClass).marks { check(mark) }
    }

    private mutating func check(_ mark: ClassMarks.Mark) {
        let property = entity.property(named: mark.name)
        switch (mark.type.shape, property) {
        case (.attribute(let types, let isOptional), .attribute(let attribute)):
            check(
                attribute.description, types, isOptional, name: mark.name, mark.type)
        case (.toOne(let expected), .relationship(let relationship)) where !relationship.isToMany:
            check(relationship, expected, mark)
        case (.toMany(let expected, let isOrdered), .relationship(let relationship))
        where relationship.isToMany && relationship.isOrdered == isOrdered:
            check(relationship, expected, mark)
        case (let shape, let property):
            add(mark, shape.text, property?.text, advice: advice(for: mark, property))
        }
    }

    /// - Parameter name: the name of the property. For an element of a composite, it is a path such as
    ///   `address.town`.
    private mutating func check(
        _ attribute: AttributeDescription, _ types: [AttributeType], _ isOptional: Bool,
        name: String, _ type: any ManagedProperty.Type
    ) {
        if !types.contains(attribute.type) {
            add(
                name, type, type.shape.text, attribute.text,
                advice: "Declare it as “\(attribute.swiftType)”.")
        } else if attribute.isOptional && !isOptional {
            add(
                name, type, "an attribute that is never nil", "one that may be nil",
                advice: "Declare it as “\(type.typeName)?”, or make the attribute required.")
        }
        if let compositeName = attribute.compositeName, let structure = type.compositeType,
            let composite = entity.model.composite(named: compositeName)
        {
            check(composite, structure, name: name, type)
        }
    }

    private mutating func check(
        _ composite: CompositeDescription, _ structure: any CompositeAttribute.Type, name: String,
        _ type: any ManagedProperty.Type
    ) {
        let settings = structure.elementSettings
        for setting in settings {
            let path = "\(name).\(setting.name)"
            guard let element = composite.elements.first(where: { $0.name == setting.name }) else {
                let names = composite.elements.map { "\(name).\($0.name)" }
                add(
                    path, setting.type, setting.type.shape.text, nil,
                    advice: Self.advice(for: path, among: names))
                continue
            }
            guard case .attribute(let types, let isOptional) = setting.type.shape else { continue }
            check(element, types, isOptional, name: path, setting.type)
        }
        let declared = Set(settings.map(\.name))
        for element in composite.elements where !declared.contains(element.name) {
            add(
                name, type, "a composite of “\(declared.sorted().joined(separator: "”, “"))”",
                "one with “\(element.name)”, which would be lost",
                advice: "Declare “\(element.name): \(element.swiftType)” in \(structure).")
        }
    }

    private mutating func check(
        _ relationship: Relationship, _ expected: ManagedObject.Type, _ mark: ClassMarks.Mark
    ) {
        let destination = relationship.destination
        if expected == ManagedObject.self { return }
        if let known = classes.objectClass(of: destination) {
            if known.isSubclass(of: expected) { return }
            add(
                mark, "objects of \(expected)", "a relationship to \(known)",
                advice: "Declare it with the class \(known).")
        } else if destination.isCalled("\(expected)") {
            destinations.append((destination, expected))
        } else {
            let name = destination.classNames.first ?? destination.name
            add(
                mark, "objects of \(expected)", "a relationship to \(destination.name)",
                advice:
                    "Declare it with the class \(name), or register the class of \(destination.name)."
            )
        }
    }

    private func advice(for mark: ClassMarks.Mark, _ property: Property?) -> String {
        guard let property else {
            return Self.advice(for: mark.name, among: entity.properties.map(\.name).sorted())
        }
        return "Declare it as “\(property.swiftType(classes))”."
    }

    private static func advice(for name: String, among names: [String]) -> String {
        if let nearest = NearestName.of(name, among: names) { return "Did you mean “\(nearest)”?" }
        return "It has \(names.map { "“\($0)”" }.joined(separator: ", "))."
    }

    private mutating func add(
        _ mark: ClassMarks.Mark, _ expected: String, _ found: String?, advice: String
    ) {
        add(mark.name, mark.type, expected, found, advice: advice)
    }

    private mutating func add(
        _ name: String, _ type: any ManagedProperty.Type, _ expected: String, _ found: String?,
        advice: String
    ) {
        misfits.append(
            ClassMisfit(
                className: "\(objectClass)", entity: entity.name, property: name,
                declared: type.typeName, expected: expected, found: found, advice: advice))
    }
}

extension ObjectClasses {
    /// Compares each registered class with its entity.
    ///
    /// - Throws: `.classDoesNotFit`, with every mistake.
    func check(against model: ManagedObjectModel) throws(GraphError) {
        let misfits = model.entities.flatMap { entity -> [ClassMisfit] in
            guard hasClass(ofItself: entity), let objectClass = objectClass(of: entity) else {
                return []
            }
            return ClassFit(objectClass, entity, self).misfits
        }
        guard misfits.isEmpty else { throw .classDoesNotFit(misfits) }
    }
}

extension ManagedObject {
    /// Whether this class is the other class or inherits from it.
    static func isSubclass(of other: ManagedObject.Type) -> Bool {
        var current: AnyClass? = self
        while let type = current {
            if type == other { return true }
            current = _getSuperclass(type)
        }
        return false
    }
}
