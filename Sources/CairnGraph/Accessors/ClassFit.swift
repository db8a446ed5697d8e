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

extension ClassMarks.Mark {
    /// The type as Swift code writes it.
    fileprivate var typeName: String {
        let name = "\(type)"
        guard name.hasPrefix("Optional<") else { return name }
        return String(name.dropFirst("Optional<".count).dropLast()) + "?"
    }
}

extension Entity {
    /// The names that a class of the entity's objects may have, without the module's.
    fileprivate var classNames: [String] {
        let declared = description.managedObjectClassName
            .flatMap { $0.split(separator: ".").last.map(String.init) }
        return [declared, name].compactMap(\.self)
    }

    /// Whether the class of the name is that of the entity or of a superentity.
    fileprivate func isCalled(_ className: String) -> Bool {
        var current: Entity? = self
        while let entity = current {
            if entity.classNames.contains(className) { return true }
            current = entity.superentity
        }
        return false
    }
}

extension PropertyShape {
    /// What the model must say, in words.
    fileprivate var text: String {
        switch self {
        case .attribute(let types, _):
            "an attribute of type " + types.map(\.title).joined(separator: " or ")
        case .toOne(let objectClass): "a to-one relationship to \(objectClass)"
        case .toMany(let objectClass, false): "a to-many relationship to \(objectClass)"
        case .toMany(let objectClass, true): "an ordered to-many relationship to \(objectClass)"
        }
    }
}

extension Property {
    /// What the model says, in words.
    fileprivate var text: String {
        switch self {
        case .attribute(let attribute): "an attribute of type \(attribute.type.title)"
        case .relationship(let relationship):
            (relationship.isOrdered ? "an ordered " : "a ")
                + (relationship.isToMany ? "to-many" : "to-one")
                + " relationship to \(relationship.destination.name)"
        case .fetchedProperty: "a fetched property"
        }
    }

    /// The type that a class declares for it.
    fileprivate func swiftType(_ classes: ObjectClasses) -> String {
        switch self {
        case .attribute(let attribute):
            attribute.type.swiftType + (attribute.isOptional && !attribute.type.isScalar ? "?" : "")
        case .relationship(let relationship):
            relationship.swiftType(
                classes.objectClass(of: relationship.destination).map { "\($0)" }
                    ?? relationship.destination.classNames[0])
        case .fetchedProperty: "nothing: call fetchedProperty(_:) instead"
        }
    }
}

extension Relationship {
    fileprivate func swiftType(_ className: String) -> String {
        if !isToMany { return "\(className)?" }
        return isOrdered ? "OrderedMembers<\(className)>" : "Members<\(className)>"
    }
}

extension AttributeType {
    /// The name that Xcode's editor shows.
    fileprivate var title: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary Data"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "Object ID"
        case .composite: "Composite"
        }
    }

    fileprivate var isScalar: Bool { isNumeric || self == .boolean }

    fileprivate var swiftType: String {
        switch self {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Bool"
        case .date: "Date"
        case .binary, .transformable: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .undefined, .objectID, .composite: "nothing: use value(forKey:) instead"
        }
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
