import CairnModel
import CairnStack
import Foundation

/// Reading and setting values by name. This is slower than a ``Managed`` property. Names and types are checked:
/// a wrong one throws an error.
///
/// An object no longer belongs to a context after the context was reset or deallocated, or after the
/// object's deletion was saved. Values that such an object already has can still be read. Reading a value
/// that would have to be fetched, or any relationship, throws `.objectGone`. If the object left its
/// context because a save found another object with the same unique values, then reads in the context's
/// turns return that other object's values, and setting a property throws `.objectGone`.
extension ManagedObject {
    /// The value of an attribute in its general form. The value of a transformable attribute is the
    /// stored bytes. The value of a to-one relationship is the destination's ID.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` for a to-many, `.objectGone`, `.store`,
    ///   `.wrongThread`.
    package final subscript(key: String) -> Value {
        get throws(GraphError) {
            try checkTurn(key)
            if let successor { return try successor[key] }
            switch try kind.binding(key) {
            case .attribute(let binding): return try value(of: binding)
            case .relationship(let binding) where !binding.isToMany:
                return try readDestinationID(binding).map(Value.objectID) ?? .null
            default:
                throw wrongType(
                    key, expected: "an attribute or a to-one relationship",
                    found: "a property with several values")
            }
        }
    }

    /// Returns the value of a property: a Swift value of the attribute's type, an object, or an
    /// ``ObjectSet`` or ``OrderedObjects`` of `ManagedObject`.
    ///
    /// Integers of any width are returned as `Int64`, and a composite as `[String: Value]`. A
    /// transformable attribute is returned as the result of its transformer, or as `Data`, the stored
    /// bytes, if no transformer of that name is registered: see
    /// `ValueTransformers.unregistered(in:)`. A reference is returned as the object that it leads to, and
    /// ``primitiveValue(forKey:)`` returns its key.
    ///
    /// - Throws: `.unknownProperty`, `.objectGone`, `.store`, `.wrongThread`; `.transformation` if a
    ///   transformer cannot read the bytes.
    public final func value(forKey key: String) throws(GraphError) -> Any? {
        try checkTurn(key)
        if let successor { return try successor.value(forKey: key) }
        switch try kind.binding(key) {
        case .attribute(let binding):
            if let lookup = binding.reference { return try referencedObject(binding, lookup) }
            return try shown(value(of: binding), of: binding)
        case .relationship(let binding): return try destination(binding)
        case .fetchedProperty(let property):
            guard let owner else { throw .objectGone(objectID, absence) }
            return try owner.fetch(property, of: self)
        }
    }

    /// Sets a property. An attribute takes a Swift value or a ``CairnModel/Value``, a to-one relationship
    /// an object, a to-many relationship a sequence of objects, and a composite a dictionary.
    ///
    /// Numeric and Boolean attributes accept numbers and Booleans of every type, including `NSNumber` and
    /// the values of `JSONSerialization`. An integer attribute drops the fraction. A Boolean attribute is
    /// false for 0 and true for other numbers. A number outside the attribute's range is refused.
    ///
    /// A transformable attribute accepts the values that its transformer accepts. A ``CairnModel/Value``
    /// of bytes is stored unchanged. If no transformer of the attribute's name is registered, the
    /// attribute accepts `Data`, which is stored unchanged. A reference accepts an object and a key.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType`, `.transformation`, `.wrongContext`, `.objectGone`,
    ///   `.store`, `.wrongThread`.
    public final func setValue(_ value: Any?, forKey key: String) throws(GraphError) {
        try checkTurn(key)
        owner?.settle()
        switch try kind.binding(key) {
        case .attribute(let binding):
            if let lookup = binding.reference, let object = value as? ManagedObject {
                return try setReferencedObject(object, binding, lookup)
            }
            try set(stored(value, of: binding), of: binding)
        case .relationship(let binding): try setDestination(value, of: binding)
        case .fetchedProperty:
            throw wrongType(
                key, expected: "no value, because it is a fetched property", found: describe(value))
        }
    }

    /// Sets an attribute to the value of an attribute of another object, without looking at it as a Swift value.
    /// Returns `false`, and changes nothing, if a value may have to be converted.
    ///
    /// - Throws: `.unknownProperty`, `.objectGone`, `.store`, `.wrongThread`.
    package final func copyAttribute(
        _ key: String, from other: ManagedObject, _ otherKey: String
    ) throws(GraphError) -> Bool {
        guard other.successor == nil, case .attribute(let binding) = try kind.binding(key),
            case .attribute(let read) = try other.kind.binding(otherKey),
            binding.type == read.type, binding.isPlain, read.isPlain
        else { return false }
        try checkTurn(key)
        try other.checkTurn(otherKey)
        owner?.settle()
        try set(other.value(of: read), of: binding)
        return true
    }

    /// Returns the members of an unordered to-many relationship.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` if the property is another kind of property or `type`
    ///   does not fit, `.objectGone` if the object no longer belongs to a context, `.wrongThread`.
    public final func objects<T: ManagedObject>(
        _ key: String, as type: T.Type = T.self
    ) throws(GraphError) -> ObjectSet<T> {
        if let successor { return try successor.objects(key) }
        let binding = try toMany(key, isOrdered: false, of: T.self)
        return ObjectSet(owner: self, binding: binding)
    }

    /// Returns the members of an ordered to-many relationship.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` if the property is another kind of property or `type`
    ///   does not fit, `.objectGone` if the object no longer belongs to a context, `.wrongThread`.
    public final func orderedObjects<T: ManagedObject>(
        _ key: String, as type: T.Type = T.self
    ) throws(GraphError) -> OrderedObjects<T> {
        if let successor { return try successor.orderedObjects(key) }
        let binding = try toMany(key, isOrdered: true, of: T.self)
        return OrderedObjects(owner: self, binding: binding)
    }

    // MARK: Steps

    private final func toMany(
        _ key: String, isOrdered: Bool, of type: ManagedObject.Type
    ) throws(GraphError) -> RelationshipBinding {
        try checkTurn(key)
        guard owner != nil else { throw .objectGone(objectID, absence) }
        guard case .relationship(let binding) = try kind.binding(key), binding.isToMany,
            binding.isOrdered == isOrdered
        else {
            throw wrongType(
                key,
                expected: isOrdered
                    ? "an ordered to-many relationship" : "an unordered to-many relationship",
                found: "another kind of property")
        }
        let destination = binding.relationship.destination.number
        if let owner, let members = owner.kinds.kind(numbered: destination),
            !members.objectClass.isSubclass(of: type)
        {
            throw wrongType(
                key, expected: "the class \(members.objectClass)", found: "the class \(type)")
        }
        return binding
    }

    final func value(of binding: AttributeBinding) throws(GraphError) -> Value {
        noteRead(of: binding.storage)
        return switch binding.storage {
        case .row(let slot): try value(at: slot)
        case .object(let slot):
            if let computed = computedValue(ofTransient: binding.name) {
                computed
            } else if owner == nil, row == nil, !isInserted {
                throw .objectGone(objectID, absence)
            } else {
                extraValue(at: slot)
            }
        case .none: .null
        }
    }

    final func set(_ value: Value, of binding: AttributeBinding) throws(GraphError) {
        switch binding.storage {
        case .row(let slot): try write(value, at: slot)
        case .object(let slot): try write(value, atExtra: slot)
        case .none: break
        }
    }

    private final func destination(_ binding: RelationshipBinding) throws(GraphError) -> Any? {
        guard let owner else { throw .objectGone(objectID, absence) }
        if binding.isToMany {
            if binding.isOrdered {
                return OrderedObjects<ManagedObject>(owner: self, binding: binding)
            }
            return ObjectSet<ManagedObject>(owner: self, binding: binding)
        }
        return try readDestinationID(binding).flatMap(owner.registeredOrFault)
    }

    private final func setDestination(
        _ value: Any?, of binding: RelationshipBinding
    ) throws(GraphError) {
        if binding.isToMany {
            guard let members = Self.objects(in: value) else {
                throw wrongType(
                    binding.name, expected: "a collection of managed objects",
                    found: describe(value))
            }
            return try relations.setMembers(members, of: self, binding)
        }
        let object = value as? ManagedObject
        guard object != nil || value.isNothing else {
            throw wrongType(
                binding.name, expected: "a managed object or nil", found: describe(value))
        }
        try relations.setDestination(object, of: self, binding)
    }

    static func objects(in value: Any?) -> [ManagedObject]? {
        switch value {
        case let set as Set<ManagedObject>:
            set.sorted { $0.objectID.precedes($1.objectID) }
        case let array as [ManagedObject]: array
        case let sequence as any Sequence: members(of: sequence)
        default: value.isNothing ? [] : nil
        }
    }

    /// Returns the elements of a sequence of objects, or `nil` if the sequence has elements of another
    /// type.
    private static func members<S: Sequence>(of sequence: S) -> [ManagedObject]? {
        guard S.Element.self is ManagedObject.Type else { return nil }
        return sequence.compactMap { $0 as? ManagedObject }
    }

    /// Throws `.wrongThread` if the calling thread is not in a turn of the context.
    final func checkTurn(_ key: String) throws(GraphError) {
        guard let owner, !owner.queue.isCurrent else { return }
        throw .wrongThread(
            context: owner.queue.ownerLock.name,
            detail: "\(entity.name).\(key) of \(objectID) was used")
    }

    /// Returns the error for a value that does not fit an attribute.
    final func mismatchError(_ value: Any?, for binding: AttributeBinding) -> GraphError {
        .mismatch(value, with: binding.type, entity: entity.name, property: binding.name)
    }

    package final func wrongType(_ key: String, expected: String, found: String) -> GraphError {
        .wrongType(entity: entity.name, property: key, expected: expected, found: found)
    }

    /// Describes the type of a value for an error message, never the value itself.
    final func describe(_ value: Any?) -> String { GraphError.describe(value) }
}

extension GraphError {
    /// Returns the error for a value that does not fit an attribute, or an element of a composite.
    static func mismatch(
        _ value: Any?, with type: AttributeType, entity: String, property: String
    ) -> GraphError {
        let isNumber = type.isNumeric && value.flatMap(AnyNumber.init) != nil
        return .wrongType(
            entity: entity, property: property,
            expected: isNumber
                ? "a number in the range of \(type.rangeDescription)"
                : "a value of type \(type.sourceName)",
            found: isNumber ? "a number outside this range" : describe(value))
    }

    /// Describes the type of a value for an error message, never the value itself.
    fileprivate static func describe(_ value: Any?) -> String {
        if let value = value as? Value { return value.typeDescription }
        guard let value, !Optional(value).isNothing else { return "nil" }
        return "a value of type \(Swift.type(of: value))"
    }
}

extension ManagedObject {
    /// Returns the values of several properties by name, as ``value(forKey:)`` returns them. A `nil`
    /// value is returned as `NSNull`.
    ///
    /// - Throws: The same errors as ``value(forKey:)``.
    public final func dictionaryWithValues(
        forKeys keys: [String]
    ) throws(GraphError) -> [String: Any] {
        var values: [String: Any] = [:]
        for key in keys { values[key] = try value(forKey: key) ?? NSNull() }
        return values
    }

    /// Sets several properties, in the order of their names. `NSNull` sets a property to `nil`.
    ///
    /// Accepts dictionaries from `JSONSerialization`. If a value is refused, the method throws, and the
    /// properties before it remain set.
    ///
    /// - Throws: The same errors as ``setValue(_:forKey:)``.
    public final func setValuesForKeys(_ values: [String: Any]) throws(GraphError) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            try setValue(value is NSNull ? nil : value, forKey: key)
        }
    }
}
