import CairnModel
import CairnStack

/// Reads the value at the end of a key path. A path may lead through to-one relationships, over the
/// members of to-many relationships, into composites, and through collection operators.
///
/// Each step is performed for all objects together, so that their faults are also fired together.
struct KeyPathReader {
    /// The maximum number of operators, because each operator is a level of recursion.
    private static let mostOperators = 8

    private let path: String
    private let names: [String]
    private let entity: Entity
    private let isTransforming: Bool

    /// The result of a step for one object or value. A step to a `nil` value has no node.
    private enum Node {
        case object(ManagedObject)
        case value(Value)
        /// A value that a transformer created.
        case transformed(Any)
        /// The elements of a composite and their description. The elements are `nil` if the composite is
        /// `nil`.
        case composite([String: Value]?, CompositeDescription)

        var anyValue: Any? {
            switch self {
            case .object(let object): object
            case .value(let value): value.anyValue
            case .transformed(let value): value
            case .composite(let elements, _): elements
            }
        }
    }

    /// - Parameter isTransforming: Whether transformable attributes are read with their transformers.
    ///   Otherwise, they are read as the bytes that predicates compare.
    /// - Throws: `.wrongType` if the path contains too many operators.
    init(_ path: String, of entity: Entity, isTransforming: Bool = true) throws(GraphError) {
        self.path = path
        self.entity = entity
        self.isTransforming = isTransforming
        names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count(where: { $0.hasPrefix("@") }) <= Self.mostOperators else {
            throw wrong(
                "a key path with at most \(Self.mostOperators) collection operators", found: "more")
        }
    }

    /// Returns the value at the end of the path. Returns an array if the path leads over a to-many
    /// relationship.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType`, `.transformation`, `.objectGone`, `.store`.
    func value(from object: ManagedObject) throws(GraphError) -> Any? {
        try value(names[...], from: object)
    }

    private func value(
        _ names: ArraySlice<String>, from object: ManagedObject
    ) throws(GraphError) -> Any? {
        var nodes: [Node] = [.object(object)]
        var isCollection = false
        var rest = names
        while let name = rest.popFirst() {
            if name.hasPrefix("@") {
                guard isCollection else {
                    throw wrong("a to-many relationship before “\(name)”", found: "a single value")
                }
                return try summary(name, of: nodes, rest)
            }
            if rest.isEmpty, !isCollection, isTransforming,
                case .object(let last)? = nodes.first
            {
                return try last.value(forKey: name)
            }
            try prepare(nodes, for: name)
            if rest.elementsEqual(["@count"]), let count = try memberCount(name, of: nodes) {
                return count
            }
            nodes = try step(name, from: nodes, &isCollection)
            if nodes.isEmpty, !isCollection { return nil }
        }
        let found = nodes.compactMap(\.anyValue)
        return isCollection ? found : found.first
    }

    // MARK: Collections

    private func summary(
        _ name: String, of nodes: [Node], _ rest: ArraySlice<String>
    ) throws(GraphError) -> Any? {
        guard let word = KeyPathOperator(rawValue: name) else {
            throw wrong("one of \(KeyPathOperator.allNames)", found: "“\(name)”")
        }
        guard word != .count || rest.isEmpty else {
            throw wrong("nothing after @count", found: "“\(rest.joined(separator: "."))”")
        }
        guard let result = word.result(of: try values(rest, from: nodes)) else {
            throw wrong(
                "values that “\(name)” can be applied to", found: "values of other types")
        }
        return result.value
    }

    /// Returns the values at the end of the rest of the path, for all objects. `nil` values are left out.
    private func values(
        _ rest: ArraySlice<String>, from nodes: [Node]
    ) throws(GraphError) -> [Any] {
        guard let next = rest.first else { return nodes.compactMap(\.anyValue) }
        try prepare(nodes, for: next)
        var values: [Any] = []
        for node in nodes {
            guard case .object(let object) = node else {
                throw wrong("an object before “\(next)”", found: "a value")
            }
            switch try value(rest, from: object) {
            case nil: break
            case let several as [Any]: values += several
            case let members as ObjectSet<ManagedObject>: values += Array(members)
            case let members as OrderedObjects<ManagedObject>: values += Array(members)
            case let single?: values.append(single)
            }
        }
        return values
    }

    /// Returns the total number of members of a to-many relationship. Returns `nil` if the name is not
    /// the name of a to-many relationship. Creates no objects.
    private func memberCount(_ name: String, of nodes: [Node]) throws(GraphError) -> Int64? {
        var count = 0
        for node in nodes {
            guard case .object(let object) = node,
                case .relationship(let binding) = try object.kind.binding(name), binding.isToMany
            else { return nil }
            count += try object.readMembers(binding).count
        }
        return Int64(count)
    }

    // MARK: Steps

    /// Fetches the data that a step needs for many objects, with few calls.
    private func prepare(_ nodes: [Node], for name: String) throws(GraphError) {
        guard nodes.count > 1 else { return }
        var owners: [ObjectIdentifier: (binding: RelationshipBinding, objects: [ManagedObject])] =
            [:]
        var others: [ManagedObject] = []
        for case .object(let object) in nodes {
            if case .relationship(let binding) = try object.kind.binding(name), binding.isToMany {
                owners[ObjectIdentifier(binding), default: (binding, [])].objects.append(object)
            } else {
                others.append(object)
            }
        }
        try others.first?.owner?.faults.fire(others)
        for (binding, objects) in owners.values {
            try objects.first?.owner?.faults.loadMembers(binding, of: objects)
        }
    }

    private func step(
        _ name: String, from nodes: [Node], _ isCollection: inout Bool
    ) throws(GraphError) -> [Node] {
        var next: [Node] = []
        for node in nodes {
            switch node {
            case .object(let object):
                next += try step(name, from: object, &isCollection)
            case .composite(let elements, let description):
                next += try step(name, into: elements, description)
            case .value, .transformed:
                throw wrong("an object or a composite before “\(name)”", found: "a value")
            }
        }
        return next
    }

    private func step(
        _ name: String, from object: ManagedObject, _ isCollection: inout Bool
    ) throws(GraphError) -> [Node] {
        switch try object.kind.binding(name) {
        case .attribute(let binding):
            if let lookup = binding.reference {
                return try object.referencedObject(binding, lookup).map { [.object($0)] } ?? []
            }
            let value = try object.value(of: binding)
            if isTransforming, binding.isTransformable {
                return try object.shown(value, of: binding).map { [.transformed($0)] } ?? []
            }
            return nodes(of: value, binding.attribute.composite)
        case .relationship(let binding):
            var ids: [ObjectID] = []
            if binding.isToMany {
                isCollection = true
                ids = try object.readMembers(binding).current
            } else if let id = try object.readDestinationID(binding) {
                ids = [id]
            }
            if ids.isEmpty { return [] }
            let context = try object.presentContext
            return ids.compactMap { context.registeredOrFault($0).map(Node.object) }
        case .fetchedProperty(let property):
            isCollection = true
            return try object.presentContext.fetch(property, of: object).map(Node.object)
        }
    }

    private func step(
        _ name: String, into elements: [String: Value]?, _ description: CompositeDescription
    ) throws(GraphError) -> [Node] {
        let element = try description.element(named: name)
        let inner = element.compositeName.flatMap(entity.model.composite(named:))
        return nodes(of: elements?[name] ?? .null, inner)
    }

    private func nodes(of value: Value, _ composite: CompositeDescription?) -> [Node] {
        guard let composite else { return value.isNull ? [] : [.value(value)] }
        guard case .composite(let elements) = value else { return [.composite(nil, composite)] }
        return [.composite(elements, composite)]
    }

    private func wrong(_ expected: String, found: String) -> GraphError {
        .wrongType(entity: entity.name, property: path, expected: expected, found: found)
    }
}

extension CompositeDescription {
    /// Returns the element with a name.
    ///
    /// - Throws: `.unknownProperty` with the most similar name.
    func element(named name: String) throws(GraphError) -> AttributeDescription {
        if let element = elements.first(where: { $0.name == name }) { return element }
        throw .unknownProperty(
            entity: self.name, name: name,
            nearest: NearestName.of(name, among: elements.map(\.name)))
    }
}
