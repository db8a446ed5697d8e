import CairnModel
import CairnObjects
import CairnStack

/// A resolver that finds the names of the properties along a key path of a class.
///
/// A ``Managed`` property passes its own key path to its accessor. The resolver therefore follows the given
/// key path on an object that only records which properties are read, and then compares the given key path
/// with the recorded ones. A computed property that the program declares also reads properties, but its key
/// path differs from theirs, so it is refused.
struct KeyPathResolver: PredicateNaming {
    private let kinds: ObjectKinds

    /// - Parameter kinds: The object kinds of the context.
    init(_ kinds: ObjectKinds) { self.kinds = kinds }

    /// Returns the names of the properties along a key path that starts at an object of the class.
    ///
    /// - Throws: `.predicate` if the path leads to something that is not in the model; `.classWithoutEntity`
    ///   and other errors, as a fetch of objects of the class throws.
    func names(
        of path: AnyKeyPath, from objectClass: ManagedObject.Type
    ) throws(GraphError) -> [String] {
        let kind = try kinds.kind(of: objectClass)
        let notes = notes()
        let object = object(of: kind, notes)
        _ = object[keyPath: path]
        guard !notes.steps.isEmpty, notes.leadsAlong(path) else {
            throw .predicate(
                .unsupported(
                    expression: path.reading,
                    advice:
                        "A key path can only use properties that their class marks with @Managed."
                        + " The @Managed properties of \(objectClass) are: "
                        + ClassMarks.of(objectClass).marks.map(\.name).joined(separator: ", ")
                        + "."))
        }
        return notes.steps.map(\.name)
    }

    /// Returns the names of the properties along a key path that starts at an object of a class or at a composite.
    ///
    /// - Throws: The same errors as ``names(of:from:)``.
    package func names(of path: AnyKeyPath) throws(GraphError) -> [String] {
        if PropertySteps(path).map(PropertySteps.ofObjectID.contains) == true { return [] }
        let root = type(of: path).rootType
        if let objectClass = root as? ManagedObject.Type {
            return try names(of: path, from: objectClass)
        }
        guard let composite = root as? any CompositeAttribute.Type,
            let name = composite.elementName(of: path)
        else { throw SwiftPredicateReader.unsupported(path) }
        return [name]
    }

    /// Returns `nil`: classes of managed objects have only properties of attribute types.
    package func constant(_ value: Any) -> Value? { nil }

    /// Returns empty notes. Each destination that they create records its reads in the same notes.
    private func notes() -> KeyPathNotes {
        KeyPathNotes { [kinds, self] destination, notes in
            kinds.kind(numbered: destination.number).map { object(of: $0, notes) }
        }
    }

    /// Creates an object that does not belong to a context.
    private func object(of kind: ObjectKind, _ notes: KeyPathNotes) -> ManagedObject {
        let kind = kind.noting(notes)
        let id = ObjectID(
            store: StoreNumber(rawValue: .max), rootEntity: kind.rootNumber, entity: kind.number,
            key: 0)
        return kind.objectClass.init(ManagedObject._Seed(kind: kind, id: id, row: nil))
    }
}

extension KeyPathNotes {
    /// Returns whether the recorded properties, in order, are exactly the steps of a key path.
    fileprivate func leadsAlong(_ path: AnyKeyPath) -> Bool {
        let noted = steps.compactMap { PropertySteps($0.path)?.identifiers }
        return PropertySteps(path)?.identifiers == noted.flatMap(\.self)
    }
}

extension AnyKeyPath {
    /// A description of the path for an error. The path's own description contains addresses instead of
    /// names.
    var reading: String {
        let type = Swift.type(of: self)
        return "\(type.rootType).… (a property of type \(type.valueType) that is not in the model)"
    }
}
