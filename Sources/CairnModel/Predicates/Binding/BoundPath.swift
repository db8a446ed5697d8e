/// A path from an object over relationships to an attribute, to objects, or to a combined value.
public struct BoundPath: Sendable, Hashable {
    /// The start of a path.
    public enum Start: Sendable, Hashable {
        /// The object that the predicate is evaluated for.
        case evaluatedObject
        /// A member of the collection of the subquery with this ``BoundSubquery/variable``.
        case variable(Int)
    }

    /// The part of each reached object that is the path's value.
    public enum Leaf: Sendable, Hashable {
        /// The object itself, which is compared by ``ObjectID``.
        case object
        /// The value of an attribute. The attribute belongs to the entity that the last relationship leads
        /// to, or to the entity of the start if there are no relationships.
        case attribute(Attribute)
        /// An element of a composite attribute. The associated values are the attribute, the names of the
        /// nested elements from the outside in, and the element's type.
        case element(Attribute, [String], AttributeType)
        /// What a path leads to from the object to which a reference leads. The path has no operator of its
        /// own. The coordinator evaluates it: plans that engines execute do not contain it.
        indirect case referenced(Attribute, BoundPath)
    }

    /// The object that the first relationship starts from.
    public var start: Start
    /// The relationships to follow, in order. Empty if the leaf belongs to the start itself.
    public var relationships: [Relationship]
    /// The value taken at the end of the path.
    public var leaf: Leaf
    /// The operator that combines the values, or `nil` for the values themselves. A path with several values
    /// and no operator occurs only with a modifier or with `IN`.
    public var collectionOperator: CollectionOperator?

    /// Creates a path. Each relationship must belong to the entity that the previous one leads to. This is
    /// not checked.
    package init(
        start: Start = .evaluatedObject, relationships: [Relationship] = [], leaf: Leaf,
        collectionOperator: CollectionOperator? = nil
    ) {
        self.start = start
        self.relationships = relationships
        self.leaf = leaf
        self.collectionOperator = collectionOperator
    }

    /// Whether the path contains a to-many relationship, so that it may reach several objects.
    public var isToMany: Bool {
        if case .referenced(_, let rest) = leaf, rest.isToMany { return true }
        return relationships.contains(where: \.isToMany)
    }

    /// Whether the path leads over a reference, and so possibly to another store.
    package var followsReference: Bool { if case .referenced = leaf { true } else { false } }

    /// The type of each value at the leaf. It is `.objectID` for objects.
    package var leafType: AttributeType {
        switch leaf {
        case .object: .objectID
        case .attribute(let attribute): attribute.type
        case .element(_, _, let type): type
        case .referenced(_, let rest): rest.leafType
        }
    }

    /// The names along the path, including that of the operator.
    package var names: [String] {
        var names = relationships.map(\.name)
        if let collectionOperator { names.append(collectionOperator.keyPathName) }
        switch leaf {
        case .object: break
        case .attribute(let attribute): names.append(attribute.name)
        case .element(let attribute, let elements, _): names += [attribute.name] + elements
        case .referenced(let attribute, let rest): names += [attribute.name] + rest.names
        }
        return names
    }

    /// If the path leads to the key of a reference, returns the path to the object with that key.
    package var toReferencedObject: BoundPath? {
        guard case .attribute(let attribute) = leaf, attribute.reference != nil,
            collectionOperator == nil
        else { return nil }
        var path = self
        path.leaf = .referenced(attribute, BoundPath(leaf: .object))
        return path
    }
}

extension BoundPath {
    /// An operator that combines the values reached through a to-many into one value.
    public enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
        /// The number of values that are not nil. 0 if there are no values.
        case count
        /// The sum of the values, ignoring nil. 0 if there are no values.
        case sum
        /// The minimum, maximum and average of the values, ignoring nil. Nil if there are no values.
        case min, max, average

        /// The operator's name in a key path, such as `@avg`.
        package var keyPathName: String { self == .average ? "@avg" : "@\(rawValue)" }

        /// Creates the operator with a name in a key path. Returns `nil` if there is no such operator.
        package init?(keyPathName name: String) {
            guard let found = Self.allCases.first(where: { $0.keyPathName == name }) else {
                return nil
            }
            self = found
        }
    }
}
