import CairnModel

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
        case .attribute(let attribute): attribute.description.text
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
        case .attribute(let attribute): attribute.description.swiftType
        case .relationship(let relationship):
            relationship.swiftType(
                classes.objectClass(of: relationship.destination).map { "\($0)" }
                    ?? relationship.destination.classNames[0])
        case .fetchedProperty: "nothing: call fetchedProperty(_:) instead"
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
