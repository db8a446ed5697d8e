import CairnModel
import CairnStore
import Foundation

/// The ID of an object whose class is known.
///
/// An ID can be handed to any thread and task. A context finds the object again:
///
/// ```swift
/// let id = author.entityID
/// let name = try await container.perform { context in try context.existingObject(with: id).name }
/// ```
///
/// A predicate can compare it: `#Predicate<Book> { $0.author?.entityID == id }`.
///
/// An ID is encoded as the object's URI. To decode one, give the decoder the coordinator that has the store:
/// `decoder.userInfo[.persistentStoreCoordinator] = container.persistentStoreCoordinator`.
public struct EntityID<Object: ManagedObject>: Sendable, Hashable {
    /// The ID without the class.
    public let objectID: ObjectID

    /// Creates an ID. The class is not checked until a context looks for the object.
    public init(_ objectID: ObjectID) { self.objectID = objectID }

    /// Whether the object has not been saved, and was not given a permanent ID, yet.
    public var isTemporary: Bool { objectID.isTemporary }
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
    /// Reads the object's URI. Whether the object exists is not checked.
    ///
    /// - Throws: `DecodingError` if the decoder was not given a coordinator, or if the coordinator has no store
    ///   or entity that the URI names.
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

    /// Writes the object's URI.
    ///
    /// - Throws: `EncodingError` if the ID is temporary.
    public func encode(to encoder: any Encoder) throws {
        guard !isTemporary else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "The object has a temporary ID, which means nothing outside of"
                        + " this process. Save the object first, or call obtainPermanentIDs(for:).")
            )
        }
        var container = encoder.singleValueContainer()
        try container.encode(objectID.uriRepresentation())
    }
}

extension Instantiable where Self: ManagedObject {
    /// The object's ID, with its class. A save changes a temporary ID to a permanent one.
    public var entityID: EntityID<Self> { EntityID(objectID) }
}

extension ManagedObjectContext {
    /// Returns the object with an ID: the registered one, or a fault. Asks no store, so the object may
    /// not exist. In that case, firing the fault fails.
    ///
    /// - Throws: `.wrongType` if the object is of another class; otherwise as
    ///   ``object(with:)-(ObjectID)``.
    public func object<Object: ManagedObject>(
        with id: EntityID<Object>
    ) throws(GraphError) -> Object {
        _ = try kinds.kind(of: Object.self)
        return try cast(try object(with: id.objectID))
    }

    /// Returns the object with an ID, with its values.
    ///
    /// - Throws: `.wrongType` if the object is of another class; otherwise as
    ///   ``existingObject(with:)-(ObjectID)``.
    public func existingObject<Object: ManagedObject>(
        with id: EntityID<Object>
    ) throws(GraphError) -> Object {
        _ = try kinds.kind(of: Object.self)
        return try cast(try existingObject(with: id.objectID))
    }
}
