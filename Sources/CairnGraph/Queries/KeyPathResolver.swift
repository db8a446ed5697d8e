import CairnModel
import CairnStore

/// Finds the model's properties for key paths of a class.
///
/// The accessor of a ``Managed`` property receives the property's key path. To resolve a key path, it is
/// applied to a probe object, which records the key paths of the properties that are read. The recorded key
/// paths must be the same as the resolved one. A computed property of the program also reads properties, but
/// its key path differs from theirs, so it is refused.
struct KeyPathResolver {
    private let kinds: ObjectKinds

    /// - Parameter kinds: the kinds of the context that resolves the key paths.
    init(_ kinds: ObjectKinds) { self.kinds = kinds }

    /// Returns the property names along a key path that begins at an object of the class.
    ///
    /// - Throws: `.predicate` if the path leads to something that is not in the model; `.classWithoutEntity`
    ///   and others, as for a fetch of objects of the class.
    func names(
        of path: AnyKeyPath, from objectClass: ManagedObject.Type
    ) throws(GraphError) -> [String] {
        let kind = try kinds.kind(of: objectClass)
        if let name = objectClass.keyPathNames[path] { return [name] }
        let notes = notes()
        let object = object(of: kind, notes)
        _ = object[keyPath: path]
        guard !notes.steps.isEmpty, notes.leadsAlong(path) else {
            throw .predicate(
                .unsupported(
                    expression: path.reading,
                    advice: "A key path follows properties that a class marks with @Managed, and no"
                        + " others. Those of \(objectClass) are: "
                        + ClassMarks.of(objectClass).marks.map(\.name).joined(separator: ", ")
                        + "."))
        }
        return notes.steps.map(\.name)
    }

    /// The notes need the kinds of the destinations to create probe objects, and each probe object refers to
    /// the notes.
    private func notes() -> KeyPathNotes {
        KeyPathNotes { [kinds, self] relationship, notes in
            kinds.kind(numbered: relationship.destination.number).map { object(of: $0, notes) }
        }
    }

    /// Returns an object that belongs to no context.
    private func object(of kind: ObjectKind, _ notes: KeyPathNotes) -> ManagedObject {
        let kind = kind.noting(notes)
        let id = ObjectID(
            store: StoreNumber(rawValue: .max), rootEntity: kind.rootNumber, entity: kind.number,
            key: 0)
        return kind.objectClass.init(ManagedObject.Seed(kind: kind, id: id, row: nil))
    }
}

extension KeyPathNotes {
    /// Returns whether a key path consists of exactly the properties that were read, in the same order.
    fileprivate func leadsAlong(_ path: AnyKeyPath) -> Bool {
        let noted = steps.compactMap { PropertySteps($0.path)?.identifiers }
        return PropertySteps(path)?.identifiers == noted.flatMap(\.self)
    }
}

extension AnyKeyPath {
    /// Returns a description of the path for an error. The path's own description contains addresses instead
    /// of names.
    var reading: String {
        let type = Swift.type(of: self)
        return "\(type.rootType).…, a property of type \(type.valueType) that the model lacks"
    }
}
