import CairnModel
import CairnObjects
import CairnStack
import Foundation

/// The ID of an object, together with the object's class.
///
/// An ID can be passed to any thread or task. A context finds the object by its ID:
///
/// ```swift
/// let id = author.entityID
/// let name = try await container.perform { context in try context.existingObject(with: id).name }
/// ```
///
/// A predicate can compare IDs: `#Predicate<Book> { $0.author?.entityID == id }`.
///
/// An ID is encoded as the object's URI. Before decoding an ID, give the decoder the coordinator that has the
/// store: `decoder.userInfo[.persistentStoreCoordinator] = container.persistentStoreCoordinator`.
public struct EntityID<Object: ManagedObject>: Sendable, Hashable {
    /// The ID without the class.
    public let objectID: ObjectID

    /// Creates an ID. The class is checked only when a context looks up the object.
    public init(_ objectID: ObjectID) { self.objectID = objectID }

    /// Whether the ID is temporary: the object was not saved yet and was not given a permanent ID.
    package var isTemporary: Bool { objectID.isTemporary }
}

extension EntityID: CustomStringConvertible {
    /// The class and the ID.
    public var description: String { "\(Object.self) \(objectID)" }
}

extension CodingUserInfoKey {
    /// The key of the ``PersistentStoreCoordinator`` that a decoder of ``EntityID`` needs.
    public static let persistentStoreCoordinator = CodingUserInfoKey(
        rawValue: "Cairn.persistentStoreCoordinator"
    ).unsafelyUnwrapped
}

extension EntityID: Codable {
    /// Decodes the object's URI. Does not check whether the object exists.
    ///
    /// - Throws: `DecodingError` if the decoder was not given a coordinator, or if the coordinator does not
    ///   have the store or the entity that the URI names.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let uri = try container.decode(URL.self)
        guard
            let coordinator = decoder.userInfo[.persistentStoreCoordinator]
                as? PersistentStoreCoordinator
        else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "The ID of an object can only be decoded with a coordinator. Set"
                    + " decoder.userInfo[.persistentStoreCoordinator] to one.")
        }
        guard let id = coordinator.managedObjectID(forURIRepresentation: uri) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "“\(uri)” is not the URI of an object in a store of this"
                    + " coordinator. Add the store before decoding.")
        }
        self.init(id)
    }

    /// Encodes the object's URI.
    ///
    /// - Throws: `EncodingError` if the ID is temporary.
    public func encode(to encoder: any Encoder) throws {
        guard !isTemporary else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "The object has a temporary ID, which is only valid in this process."
                        + " Save the object first, or call obtainPermanentIDs(for:).")
            )
        }
        var container = encoder.singleValueContainer()
        try container.encode(objectID.uriRepresentation())
    }
}

extension Instantiable where Self: ManagedObject {
    /// The object's ID, with its class. Saving the object replaces a temporary ID with a permanent one.
    public var entityID: EntityID<Self> { EntityID(objectID) }
}

extension ManagedObjectContext {
    /// Returns the registered object with an ID, or a fault. Does not access the store, so the object may not
    /// exist. In that case, firing the fault fails.
    ///
    /// - Throws: `.wrongType` if the object is of another class; otherwise the same errors as
    ///   `object(with:)` with an `ObjectID`.
    public func object<Object: ManagedObject>(
        with id: EntityID<Object>
    ) throws(GraphError) -> Object {
        _ = try kinds.kind(of: Object.self)
        return try cast(try object(with: id.objectID))
    }

    /// Returns the object with an ID, including its values.
    ///
    /// - Throws: `.wrongType` if the object is of another class; otherwise the same errors as
    ///   `existingObject(with:)` with an `ObjectID`.
    public func existingObject<Object: ManagedObject>(
        with id: EntityID<Object>
    ) throws(GraphError) -> Object {
        _ = try kinds.kind(of: Object.self)
        return try cast(try existingObject(with: id.objectID))
    }
}
