import CairnModel
import CairnStack

extension ManagedObject {
    /// Returns the value at the end of a path of names. Returns `nil` if a value along the path is
    /// `nil`.
    ///
    /// A path can lead through to-one relationships, into the elements of composites (`address.city`),
    /// and over the members of to-many relationships. A path over a to-many relationship results in an
    /// array of the values, without `nil`, in the relationship's order if it is ordered. A collection
    /// operator turns these values into a single value, with `@count`, `@sum`, `@avg`, `@min` or `@max`
    /// (`tracks.@sum.length`), or into an array, with `@unionOfObjects` or `@distinctUnionOfObjects`.
    /// Core Data's names of these two for arrays and sets are also accepted. A path can contain several
    /// operators: `albums.@max.tracks.@count`. The sum of no values is 0; the average, minimum and
    /// maximum of no values are `nil`.
    ///
    /// Faults along the path are fired in batches. `@count` creates no objects.
    ///
    /// - Throws: The same errors as ``value(forKey:)``; `.wrongType` if a name follows a plain value, or
    ///   if an operator does not accept the values.
    public final func value(forKeyPath path: String) throws(GraphError) -> Any? {
        try checkTurn(path)
        if let successor { return try successor.value(forKeyPath: path) }
        return try KeyPathReader(path, of: entity).value(from: self)
    }

    /// Sets the property at the end of a path of names. This is a property of the object that to-one
    /// relationships lead to, of each member that a to-many relationship leads to, or an element of a
    /// composite (`address.city`).
    ///
    /// If an object along the path is `nil`, nothing is set. A composite that is `nil` is created.
    ///
    /// - Throws: The same errors as ``setValue(_:forKey:)``; `.wrongType` if a name follows a plain
    ///   value.
    public final func setValue(_ value: Any?, forKeyPath path: String) throws(GraphError) {
        try checkTurn(path)
        owner?.settle()
        var names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[
            ...]
        var objects = [self]
        while names.count > 1, let name = names.popFirst() {
            var next: [ManagedObject] = []
            for object in objects {
                switch try object.kind.binding(name) {
                case .attribute(let binding):
                    if let lookup = binding.reference {
                        if let target = try object.referencedObject(binding, lookup) {
                            next.append(target)
                        }
                        continue
                    }
                    try object.setElement(Array(names), of: binding, to: value)
                case .relationship(let binding): next += try object.destinations(binding)
                case .fetchedProperty(let property):
                    next += try object.presentContext.fetch(property, of: object)
                }
            }
            objects = next
        }
        guard let name = names.first else { return }
        for object in objects { try object.setValue(value, forKey: name) }
    }

    /// Returns the objects that a relationship leads to. They are faults unless they were fetched.
    private final func destinations(
        _ binding: RelationshipBinding
    ) throws(GraphError) -> [ManagedObject] {
        let ids =
            binding.isToMany
            ? try loadedMembers(binding).current : try destinationID(binding).map { [$0] } ?? []
        if ids.isEmpty { return [] }
        return ids.compactMap(try presentContext.registeredOrFault)
    }

    private final func setElement(
        _ names: [String], of binding: AttributeBinding, to value: Any?
    ) throws(GraphError) {
        guard let composite = binding.attribute.composite else {
            throw .wrongType(
                entity: entity.name, property: binding.name,
                expected: "an object or a composite before “\(names[0])”", found: "a value")
        }
        let new = try entity.model.replacing(
            names[...], in: try self.value(of: binding), composite, with: value)
        try setValue(new, forKey: binding.name)
    }
}

extension ManagedObjectModel {
    /// Returns a composite in which one element, at any depth, is replaced. If the new value is `nil`,
    /// the element is removed.
    fileprivate func replacing(
        _ names: ArraySlice<String>, in value: Value, _ composite: CompositeDescription,
        with new: Any?
    ) throws(GraphError) -> Value {
        guard let name = names.first else { return value }
        let element = try composite.element(named: name)
        var elements: [String: Value] = [:]
        if case .composite(let current) = value { elements = current }
        let rest = names.dropFirst()
        let inner = element.compositeName.flatMap(self.composite(named:))
        var replacement = Value(any: new, as: element.type, inner, in: self)
        if !rest.isEmpty {
            guard let inner else {
                throw .wrongType(
                    entity: composite.name, property: name,
                    expected: "a composite before “\(rest.joined(separator: "."))”",
                    found: "a value")
            }
            replacement = try replacing(rest, in: elements[name] ?? .null, inner, with: new)
        }
        guard let replacement else {
            throw .mismatch(new, with: element.type, entity: composite.name, property: name)
        }
        elements[name] = replacement.isNull ? nil : replacement
        return .composite(elements)
    }
}
