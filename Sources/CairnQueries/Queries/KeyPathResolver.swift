import CairnModel
import CairnObjects
import CairnStack

/// What the key paths and the constants of a Swift predicate mean in a model.
package protocol PredicateNaming {
    /// Returns the names of the properties along a key path that starts at an object or at a composite. Returns no
    /// names for the property that identifies the object.
    ///
    /// - Throws: `.predicate` if the path leads to something that is not in the model.
    func names(of path: AnyKeyPath) throws(GraphError) -> [String]

    /// Returns the value of a constant whose type is no attribute type. Returns `nil` if no attribute can have it.
    func constant(_ value: Any) -> Value?
}

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

/// The properties along a key path, identified by the key path's memory.
///
/// Two key paths to the same inherited property differ if they start at different classes, and Swift can
/// append key paths only if all their types are known. The identifier of a property, however, is the same in
/// all of them. This type reads the identifiers from the memory of the runtime's object, whose layout is
/// documented in `KeyPath.swift` of Swift's standard library. Foundation reads the same memory to check
/// predicates.
package struct PropertySteps: Equatable {
    /// The identifiers of the properties, in order. Each is where the getter is declared.
    package let identifiers: [UInt]

    /// Reads a key path. Returns `nil` if it has a step other than computed properties of classes, `?` and
    /// `!`.
    package init?(_ path: AnyKeyPath) {
        let object = Unmanaged.passUnretained(path).toOpaque()
        let byteCount = Int(
            object.load(fromByteOffset: Self.sizeOffset, as: UInt32.self) & 0xFF_FFFF)
        var offset = Self.sizeOffset + 8
        let end = offset + byteCount
        var identifiers: [UInt] = []
        while offset + 8 <= end {
            let header = object.load(fromByteOffset: offset, as: UInt32.self)
            switch Kind(rawValue: header >> 24 & 0x7F) {
            case .computed where header & Self.hasArguments == 0:
                identifiers.append(object.load(fromByteOffset: offset + 8, as: UInt.self))
                // Skip the header, the identifier, the getter, and the setter if the property has one.
                offset += header & Self.isSettable == 0 ? 24 : 32
            case .optional: offset += 8
            case .computed, nil: return nil
            }
            // Skip the type between two steps. The last step is not followed by a type.
            offset += 8
        }
        withExtendedLifetime(path) {}
        self.identifiers = identifiers
    }

    /// The steps of the two properties that return the object's ID.
    static let ofObjectID = [
        PropertySteps(\ManagedObject.objectID), PropertySteps(\ManagedObject.entityID),
    ].compactMap(\.self)

    /// The supported kinds of steps.
    private enum Kind: UInt32 {
        case computed = 2
        case optional = 4
    }

    /// The offset of the size: after the object's own two words, and one word for Objective-C.
    private static let sizeOffset = 24
    private static let isSettable: UInt32 = 0x40_0000
    private static let hasArguments: UInt32 = 0x8_0000
}
