import CairnModel
import CairnStore

/// Finds the properties that the key paths of a class lead to.
///
/// A property of ``Managed`` hands out its own key path. So the key path in question is followed on an object
/// that only notes which properties are read, and must be the one that is noted. A computed property of the
/// program reads properties too, but has a key path of its own, and is refused.
struct KeyPathResolver {
    private let kinds: ObjectKinds

    /// - Parameter kinds: those of the context that is asked.
    init(_ kinds: ObjectKinds) { self.kinds = kinds }

    /// Returns the names that a key path consists of, from an object of the class.
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

    /// The notes know of the destinations' kinds, and these of the notes.
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
    /// Whether the properties that were read, one after the other, are all that a key path follows.
    fileprivate func leadsAlong(_ path: AnyKeyPath) -> Bool {
        let noted = steps.compactMap { PropertySteps($0.path)?.identifiers }
        return PropertySteps(path)?.identifiers == noted.flatMap(\.self)
    }
}

extension AnyKeyPath {
    /// What the path says for an error. Its own description has addresses where names should be.
    var reading: String {
        let type = Swift.type(of: self)
        return "\(type.rootType).…, a property of type \(type.valueType) that the model lacks"
    }
}
