import CairnModel

/// Compares the marked properties of a class with an entity.
struct ClassFit {
    private(set) var misfits: [ClassMisfit] = []
    /// The classes that relationships lead to, with the entities whose objects have them.
    private(set) var destinations: [(entity: Entity, memberClass: ManagedObject.Type)] = []
    private let objectClass: ManagedObject.Type
    private let entity: Entity
    private let classes: ObjectClasses

    /// - Parameter classes: the classes that are known of the model's entities.
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
            check(attribute, types, isOptional, mark)
        case (.toOne(let expected), .relationship(let relationship)) where !relationship.isToMany:
            check(relationship, expected, mark)
        case (.toMany(let expected, let isOrdered), .relationship(let relationship))
        where relationship.isToMany && relationship.isOrdered == isOrdered:
            check(relationship, expected, mark)
        case (let shape, let property):
            add(mark, shape.text, property?.text, advice: advice(for: mark, property))
        }
    }

    private mutating func check(
        _ attribute: Attribute, _ types: [AttributeType], _ isOptional: Bool,
        _ mark: ClassMarks.Mark
    ) {
        let text = Property.attribute(attribute).text
        if !types.contains(attribute.type) {
            let shape = mark.type.shape
            add(mark, shape.text, text, advice: advice(for: mark, .attribute(attribute)))
        } else if attribute.isOptional && !isOptional {
            add(
                mark, "an attribute that is never nil", "one that may be nil",
                advice: "Declare it as “\(mark.typeName)?”, or make the attribute required.")
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
            let names = entity.properties.map(\.name).sorted()
            if let nearest = NearestName.of(mark.name, among: names) {
                return "Did you mean “\(nearest)”?"
            }
            return "It has \(names.map { "“\($0)”" }.joined(separator: ", "))."
        }
        return "Declare it as “\(property.swiftType(classes))”."
    }

    private mutating func add(
        _ mark: ClassMarks.Mark, _ expected: String, _ found: String?, advice: String
    ) {
        misfits.append(
            ClassMisfit(
                className: "\(objectClass)", entity: entity.name, property: mark.name,
                declared: mark.typeName, expected: expected, found: found, advice: advice))
    }
}

extension ObjectClasses {
    /// Compares each class that is registered for an entity of the model with it.
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
    /// Whether each object of this class is one of the other.
    static func isSubclass(of other: ManagedObject.Type) -> Bool {
        var current: AnyClass? = self
        while let type = current {
            if type == other { return true }
            current = _getSuperclass(type)
        }
        return false
    }
}
