import CairnModel
import CairnObjects
import CairnStack

/// A copy of the values of an object at one moment, including the values of chosen related objects.
///
/// A snapshot does not belong to a context. It can be passed to any thread or task, compared, and encoded.
/// New objects can be created from it:
///
/// ```swift
/// let snapshot = try author.snapshot(including: .through(\.books))
/// let json = try JSONEncoder().encode(snapshot)
///
/// let received = try JSONDecoder().decode(ObjectSnapshot<Author>.self, from: json)
/// let copy = try context.insert(received)
/// ```
///
/// The JSON uses the names of the model, and decoding it does not need a coordinator:
///
/// ```json
/// {
///   "@entity": "Author", "name": "George Eliot", "born": "1819-11-22T00:00:00Z",
///   "books": [{ "@entity": "Novel", "title": "Middlemarch", "pages": 880 }]
/// }
/// ```
///
/// | Attributes | are encoded as |
/// |---|---|
/// | Booleans, numbers, strings | the same; numbers that JSON does not have, as `"nan"`, `"inf"`, `"-inf"` |
/// | Decimals, UUIDs and URIs | strings |
/// | dates | ISO 8601, or seconds since 2001 if that form would change the date |
/// | bytes, including those of transformable attributes | strings in base 64 |
/// | composites | objects |
///
/// Nil is encoded as `null`. A snapshot does not contain object IDs. An object that occurs more than once has
/// a number, `"@ref"`. One occurrence contains the object's content and the number; the others contain only
/// the number.
public struct ObjectSnapshot<Object: ManagedObject>: Sendable, Hashable {
    /// The entity's name, the attributes and the chosen relationships. The keys are their names.
    let fields: [String: PlainValue]

    /// The name of the object's entity. `nil` if the snapshot was decoded from data without an entity name.
    /// Inserting such a snapshot creates an object of the class's entity.
    public var entityName: String? {
        guard case .text(let name)? = fields[SnapshotKey.entity] else { return nil }
        return name
    }

    /// Returns the value of an attribute. Returns `nil` if the value is nil, is not in the snapshot, or is
    /// not of this type.
    public func value<Attribute: AttributeValue>(
        _ name: String, as type: Attribute.Type = Attribute.self
    ) -> Attribute? {
        guard let plain = fields[name] else { return nil }
        for type in Attribute._attributeTypes {
            if let value = plain.value(as: type, nil, in: nil), !value.isNull {
                return Attribute(_attributeValue: value)
            }
        }
        return nil
    }
}

extension ObjectSnapshot: Codable {
    /// Decodes a snapshot. Its content is compared with the model only when objects are created from it.
    ///
    /// - Throws: `DecodingError` if the data is not an object with named fields.
    public init(from decoder: any Decoder) throws {
        fields = try [String: PlainValue](from: decoder)
    }

    /// Encodes the snapshot.
    public func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
}

extension Instantiable where Self: ManagedObject {
    /// Returns a snapshot of the object's current values, including unsaved changes.
    ///
    /// The snapshot contains all attributes, including transient and derived ones. The objects along a path
    /// are fetched together, one step at a time.
    ///
    /// - Parameter paths: The relationships whose objects are included. All other relationships are left out.
    /// - Throws: `.predicate(.unsupported)` for a key path that is not a relationship; `.objectGone`,
    ///   `.store`, `.wrongThread`.
    public func snapshot(
        including paths: RelationshipPath<Self>...
    ) throws(GraphError) -> ObjectSnapshot<Self> {
        let context = try presentContext
        var names: [String] = []
        for path in paths { names.append(try path.names(KeyPathResolver(context.kinds))) }
        return try snapshot(includingKeyPaths: names)
    }

    /// Returns a snapshot of the object's current values. The relationships are given by name:
    /// `["books.chapters"]`.
    ///
    /// - Parameter keyPaths: The relationships whose objects are included. Dots separate the steps of a path.
    /// - Throws: `.unknownProperty`; `.wrongType` for a name that is not a relationship; `.objectGone`,
    ///   `.store`, `.wrongThread`.
    public func snapshot(
        includingKeyPaths keyPaths: [String]
    ) throws(GraphError) -> ObjectSnapshot<Self> {
        ObjectSnapshot(fields: try SnapshotWriter.fields(of: self, including: keyPaths))
    }
}

extension ManagedObjectContext {
    /// Inserts an object with the values of a snapshot, and the related objects in the snapshot.
    ///
    /// Attributes that are not in the snapshot get their default values. Derived attributes in the snapshot
    /// are ignored, because the store computes them. If any part of the snapshot does not fit the model,
    /// nothing is inserted.
    ///
    /// - Throws: `.unknownEntity`, `.abstractEntity`, `.unknownProperty`; `.wrongType` for a value that the
    ///   property does not accept; `.classWithoutEntity` and other errors, as a fetch of objects of the class
    ///   throws; `.wrongThread`.
    @discardableResult
    public func insert<Object: ManagedObject>(
        _ snapshot: ObjectSnapshot<Object>
    ) throws(GraphError) -> Object {
        try checkTurn("insert")
        var insertion = SnapshotInsertion(self)
        return try cast(try insertion.insert(snapshot.fields, kinds.kind(of: Object.self).entity))
    }
}

/// The keys of a snapshot's fields that are not properties.
enum SnapshotKey {
    static let entity = "@entity"
    static let reference = "@ref"
}
