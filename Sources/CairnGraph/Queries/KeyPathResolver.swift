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
                    expression: "\(path)",
                    advice:
                        "A key path consists of properties that a class marks with @Managed, and of no"
                        + " others. Those of \(objectClass) are: "
                        + ClassMarks.of(objectClass).marks.map(\.name).joined(separator: ", ") + "."
                ))
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
        return kind.objectClass.init(ManagedObject.Birth(kind: kind, id: id, row: nil))
    }
}

extension KeyPathNotes {
    /// Whether the properties that were read, one after the other, are all that a key path consists of.
    ///
    /// Key paths of one property are compared as such. Those of several can only be put together where all
    /// types are known, so their descriptions are compared: these name each step by the address of its
    /// getter.
    fileprivate func leadsAlong(_ path: AnyKeyPath) -> Bool {
        if steps.count == 1 { return steps[0].path == path }
        let parts = steps.map { step in
            step.path.debugDescription.drop { $0 != "." }.dropFirst()
        }
        let whole = path.debugDescription.drop { $0 != "." }.dropFirst()
        let joined = [parts.joined(separator: "?."), parts.joined(separator: "!.")]
        return joined.contains { whole == $0 || whole == "\($0)?" }
    }
}
