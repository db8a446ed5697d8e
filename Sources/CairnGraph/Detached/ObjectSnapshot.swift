import CairnModel

/// The values of an object at one moment, with those of chosen related objects.
///
/// A snapshot belongs to no context. It can be handed to any thread and task, compared, and encoded, and new
/// objects can be made from it:
///
/// ```swift
/// let snapshot = try author.snapshot(including: .through(\.books))
/// let json = try JSONEncoder().encode(snapshot)
///
/// let received = try JSONDecoder().decode(ObjectSnapshot<Author>.self, from: json)
/// let copy = try context.insert(received)
/// ```
///
/// The JSON is that of the model, and no coordinator is needed to read it:
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
/// | Booleans, numbers, texts | the same; numbers that JSON lacks as `"nan"`, `"inf"`, `"-inf"` |
/// | Decimals, UUIDs and URIs | texts |
/// | dates | ISO 8601, or seconds since 2001 if that form would change the date |
/// | bytes, also of transformable attributes | texts in base 64 |
/// | composites | objects |
///
/// Nil is written as `null`. Object IDs are not part of a snapshot. If an object occurs more than once, it has a
/// number, `"@ref"`: its content is written where it occurs first, and only the number after that.
public struct ObjectSnapshot<Object: ManagedObject>: Sendable, Hashable {
    /// The entity's name, the attributes and the chosen relationships, by name.
    let fields: [String: PlainValue]

    /// The name of the object's entity. `nil` if the snapshot was decoded from data without one: an
    /// insertion then makes an object of the class's entity.
    public var entityName: String? {
        guard case .text(let name)? = fields[SnapshotKey.entity] else { return nil }
        return name
    }

    /// Returns the value of an attribute. Returns `nil` if it is nil, is not in the snapshot, or is not of
    /// the type.
    public func value<Attribute: AttributeValue>(
        _ name: String, as type: Attribute.Type = Attribute.self
    ) -> Attribute? {
        guard let plain = fields[name] else { return nil }
        for type in Attribute.attributeTypes {
            if let value = plain.value(as: type, nil, in: nil), !value.isNull {
                return Attribute(attributeValue: value)
            }
        }
        return nil
    }
}

extension ObjectSnapshot: Codable {
    /// Reads a snapshot. What it says is compared with the model when objects are made from it.
    ///
    /// - Throws: `DecodingError` if the data is not an object with fields.
    public init(from decoder: any Decoder) throws {
        fields = try [String: PlainValue](from: decoder)
    }

    /// Writes the snapshot.
    public func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
}

extension Instantiable where Self: ManagedObject {
    /// Returns the object's values as they are now, unsaved changes included.
    ///
    /// All attributes are included, transient and derived ones too. The objects of a path are fetched
    /// together, a step at a time.
    ///
    /// - Parameter paths: the relationships whose objects are included. Others are left out.
    /// - Throws: `.predicate(.unsupported)` for a key path that is no relationship; `.objectGone`, `.store`,
    ///   `.wrongThread`.
    public func snapshot(
        including paths: RelationshipPath<Self>...
    ) throws(GraphError) -> ObjectSnapshot<Self> {
        let context = try presentContext
        var names: [String] = []
        for path in paths { names.append(try path.names(KeyPathResolver(context.kinds))) }
        return try snapshot(includingKeyPaths: names)
    }

    /// Returns the object's values as they are now, with relationships by name: `["books.chapters"]`.
    ///
    /// - Parameter keyPaths: the relationships whose objects are included, with points between the steps.
    /// - Throws: `.unknownProperty`, `.wrongType` for a name that is no relationship; `.objectGone`,
    ///   `.store`, `.wrongThread`.
    public func snapshot(
        includingKeyPaths keyPaths: [String]
    ) throws(GraphError) -> ObjectSnapshot<Self> {
        ObjectSnapshot(fields: try SnapshotWriter.fields(of: self, including: keyPaths))
    }
}

extension ManagedObjectContext {
    /// Inserts an object with the values of a snapshot, and the related objects that the snapshot has.
    ///
    /// Attributes that are not in the snapshot get their default values. Derived attributes are left to the
    /// store. If anything in the snapshot does not fit the model, nothing is inserted.
    ///
    /// - Throws: `.unknownEntity`, `.abstractEntity`, `.unknownProperty`, `.wrongType` for a value that
    ///   the property does not take; `.classWithoutEntity` and others, as for a fetch of objects of the
    ///   class; `.wrongThread`.
    @discardableResult
    public func insert<Object: ManagedObject>(
        _ snapshot: ObjectSnapshot<Object>
    ) throws(GraphError) -> Object {
        try checkTurn("insert")
        var insertion = SnapshotInsertion(self)
        return try cast(try insertion.insert(snapshot.fields, kinds.kind(of: Object.self).entity))
    }
}
