import CairnModel
import CairnStack

/// A comparison of a class's ``Managed`` properties with an entity.
struct ClassFit {
    private(set) var misfits: [ClassMisfit] = []
    /// The destination entities of the class's relationships, and the classes that it expects for their
    /// objects. Contains only entities for which no class is known yet.
    private(set) var destinations: [(entity: Entity, memberClass: ManagedObject.Type)] = []
    private let objectClass: ManagedObject.Type
    private let entity: Entity
    private let classes: ObjectClasses

    /// - Parameter classes: The known classes of the model's entities.
    init(_ objectClass: ManagedObject.Type, _ entity: Entity, _ classes: ObjectClasses) {
        self.objectClass = objectClass
        self.entity = entity
        self.classes = classes
        for mark in ClassMarks.of(objectClass).marks { check(mark) }
    }

    private mutating func check(_ mark: ClassMarks.Mark) {
        let property = entity.property(named: mark.name)
        switch (mark.type._shape, property) {
        case (.attribute(let types, let isOptional), .attribute(let attribute)):
            check(
                attribute.description, types, isOptional, name: mark.name, mark.type)
        case (.toOne(let expected), .relationship(let relationship)) where !relationship.isToMany:
            check(relationship.destination, "a relationship", expected, mark)
        case (.toOne(let expected), .attribute(let attribute)) where attribute.reference != nil:
            if let entity = attribute.reference?.entity {
                check(entity, "a reference", expected, mark)
            }
        case (.toMany(let expected, let isOrdered), .relationship(let relationship))
        where relationship.isToMany && relationship.isOrdered == isOrdered:
            check(relationship.destination, "a relationship", expected, mark)
        case (let shape, let property):
            add(mark, shape.text, property?.text, advice: advice(for: mark, property))
        }
    }

    /// - Parameter name: The name of the property. For an element of a composite, a path such as
    ///   `address.town`.
    private mutating func check(
        _ attribute: AttributeDescription, _ types: [AttributeType], _ isOptional: Bool,
        name: String, _ type: any ManagedProperty.Type
    ) {
        if !types.contains(attribute.type) {
            add(
                name, type, type._shape.text, attribute.text,
                advice: "Declare it as “\(attribute.swiftType)”.")
        } else if attribute.isOptional && !isOptional {
            add(
                name, type, "an attribute that is never nil", "an optional attribute",
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
                    path, setting.type, setting.type._shape.text, nil,
                    advice: Self.advice(for: path, among: names))
                continue
            }
            guard case .attribute(let types, let isOptional) = setting.type._shape else { continue }
            check(element, types, isOptional, name: path, setting.type)
        }
        let declared = Set(settings.map(\.name))
        let elements =
            declared.isEmpty
            ? "no elements" : "only “\(declared.sorted().joined(separator: "”, “"))”"
        for element in composite.elements where !declared.contains(element.name) {
            add(
                name, type, "a composite with \(elements)",
                "a composite that also has “\(element.name)”, whose value would be lost",
                advice: "Declare “\(element.name): \(element.swiftType)” in \(structure).")
        }
    }

    /// - Parameter kind: The kind of property that leads to the destination, with its article.
    private mutating func check(
        _ destination: Entity, _ kind: String, _ expected: ManagedObject.Type,
        _ mark: ClassMarks.Mark
    ) {
        if expected == ManagedObject.self { return }
        if let known = classes.objectClass(of: destination) {
            if known.isSubclass(of: expected) { return }
            add(
                mark, "\(kind) to \(expected)", "\(kind) to \(known)",
                advice: "Declare it with the class \(known).")
        } else if destination.isCalled("\(expected)") {
            destinations.append((destination, expected))
        } else {
            let name = destination.classNames.first ?? destination.name
            add(
                mark, "\(kind) to \(expected)", "\(kind) to \(destination.name)",
                advice:
                    "Declare it with the class \(name), or register the class of \(destination.name)."
            )
        }
    }

    private func advice(for mark: ClassMarks.Mark, _ property: Property?) -> String {
        guard let property else {
            return Self.advice(for: mark.name, among: entity.properties.map(\.name).sorted())
        }
        if case .fetchedProperty = property {
            return "Remove the declaration, and call fetchedObjects(_:as:) instead."
        }
        return "Declare it as “\(property.swiftType(classes))”."
    }

    private static func advice(for name: String, among names: [String]) -> String {
        if let nearest = NearestName.of(name, among: names) { return "Did you mean “\(nearest)”?" }
        if names.isEmpty { return "The entity has no properties." }
        return "Its properties are \(names.map { "“\($0)”" }.joined(separator: ", "))."
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
    /// Compares each class that is registered for an entity of the model with that entity.
    ///
    /// - Throws: `.classDoesNotFit`, which lists every mistake.
    package func check(against model: ManagedObjectModel) throws(GraphError) {
        let misfits = model.entities.flatMap { entity -> [ClassMisfit] in
            guard hasClass(ofItself: entity), let objectClass = objectClass(of: entity) else {
                return []
            }
            return ClassFit(objectClass, entity, self).misfits
        }
        guard misfits.isEmpty else { throw .classDoesNotFit(misfits) }
    }
}

extension ObjectClasses {
    /// Returns the name of the class to declare for objects of an entity.
    fileprivate func className(of entity: Entity) -> String {
        objectClass(of: entity).map { "\($0)" } ?? entity.classNames[0]
    }
}

extension ManagedObject {
    /// Returns whether this class is `other` or a subclass of it.
    static func isSubclass(of other: ManagedObject.Type) -> Bool {
        var current: AnyClass? = self
        while let type = current {
            if type == other { return true }
            current = _getSuperclass(type)
        }
        return false
    }
}

// Descriptions of classes and models, for error messages.

extension ManagedProperty {
    /// The type as it is written in Swift code.
    static var typeName: String {
        guard let wrapped = (self as? any OptionalType.Type)?.wrappedType else { return "\(self)" }
        return "\(wrapped)?"
    }

    /// The structure of a composite attribute, whether the property is optional or not. `nil` for all other
    /// types.
    @usableFromInline package static var compositeType: (any CompositeAttribute.Type)? {
        let type = (self as? any OptionalType.Type)?.wrappedType ?? self
        return type as? any CompositeAttribute.Type
    }
}

extension Entity {
    /// The names that the class of the entity's objects may have, without a module name.
    var classNames: [String] {
        let declared = description.managedObjectClassName
            .flatMap { $0.split(separator: ".").last.map(String.init) }
        return [declared, name].compactMap(\.self)
    }

    /// Returns whether a class of this name may be the class of the entity or of one of its superentities.
    func isCalled(_ className: String) -> Bool {
        var current: Entity? = self
        while let entity = current {
            if entity.classNames.contains(className) { return true }
            current = entity.superentity
        }
        return false
    }
}

extension _Property.Shape {
    /// A description of the property that the model must contain.
    var text: String {
        switch self {
        case .attribute(let types, _):
            "an attribute of type " + types.map(\.sourceName).joined(separator: " or ")
        case .toOne(let objectClass): "a to-one relationship to \(objectClass)"
        case .toMany(let objectClass, false): "a to-many relationship to \(objectClass)"
        case .toMany(let objectClass, true): "an ordered to-many relationship to \(objectClass)"
        }
    }
}

extension Property {
    /// A description of the property in the model.
    var text: String {
        switch self {
        case .attribute(let attribute):
            attribute.reference.map { "a reference to \($0.entity.name)" }
                ?? attribute.description.text
        case .relationship(let relationship):
            (relationship.isOrdered ? "an ordered " : "a ")
                + (relationship.isToMany ? "to-many" : "to-one")
                + " relationship to \(relationship.destination.name)"
        case .fetchedProperty: "a fetched property"
        }
    }

    /// Returns the Swift type to declare for the property.
    func swiftType(_ classes: ObjectClasses) -> String {
        switch self {
        case .attribute(let attribute):
            attribute.reference.map { "\(classes.className(of: $0.entity))?" }
                ?? attribute.description.swiftType
        case .relationship(let relationship):
            relationship.swiftType(classes.className(of: relationship.destination))
        case .fetchedProperty: "nothing: call fetchedObjects(_:as:) instead"
        }
    }
}

extension AttributeDescription {
    /// The Swift type to declare for the attribute.
    var swiftType: String {
        // Assume that the structure is named like the composite: the model does not say.
        let name = (type == .composite ? compositeName : nil) ?? type.swiftType
        return name + (isOptional && !type.isScalar ? "?" : "")
    }

    /// A description of the attribute in the model.
    var text: String { "an attribute of type \(type.sourceName)" }
}

extension Relationship {
    func swiftType(_ className: String) -> String {
        if !isToMany { return "\(className)?" }
        return isOrdered ? "OrderedMembers<\(className)>" : "Members<\(className)>"
    }
}

extension AttributeType {
    var isScalar: Bool { isNumeric || self == .boolean }

    var swiftType: String {
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
