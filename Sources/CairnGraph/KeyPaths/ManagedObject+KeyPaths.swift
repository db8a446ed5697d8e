import CairnModel

extension ManagedObject {
    /// The value at the end of a path of names; nil where something on the way is.
    ///
    /// Leads through to-ones, into the elements of composites (`address.city`), and over the
    /// members of to-manys: those give an array of what is reached, in a relationship's order where
    /// it has one, without nil. A collection operator makes one value of them: `@count`, `@sum`,
    /// `@avg`, `@min`, `@max` (`tracks.@sum.length`), or an array: `@unionOfObjects` and
    /// `@distinctUnionOfObjects`, also by Core Data's names for arrays and sets. Operators may
    /// stand one after the other: `albums.@max.tracks.@count`. A sum of none is 0, an average,
    /// minimum or maximum of none nil.
    ///
    /// Faults on the way are fired many at a time; `@count` makes no member.
    ///
    /// - Throws: as ``value(forKey:)``; `.wrongType` where a name follows a plain value, or an
    ///   operator what it does not take.
    public final func value(forKeyPath path: String) throws(GraphError) -> Any? {
        try checkTurn(path)
        if let successor { return try successor.value(forKeyPath: path) }
        return try KeyPathReader(path, of: entity).value(from: self)
    }

    /// Sets the property at the end of a path of names: of the object that to-ones lead to, of each
    /// member that a to-many leads to, or an element of a composite (`address.city`).
    ///
    /// Where something on the way is nil nothing is set; a composite that is nil is made.
    ///
    /// - Throws: as ``setValue(_:forKey:)``; `.wrongType` where a name follows a plain value.
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

    /// The objects that a relationship leads to, faults unless they were fetched.
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
    /// Returns a composite with one element, at any depth, replaced. An element that is nil is
    /// absent.
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
            throw .wrongType(
                entity: composite.name, property: name, expected: "\(element.type)",
                found: "another type")
        }
        elements[name] = replacement.isNull ? nil : replacement
        return .composite(elements)
    }
}
