internal import CairnModel
internal import CairnStore
internal import Foundation

/// The identity of a model in its store. It can be passed to other tasks, and encoded for other programs that open the
/// same store.
///
/// The identifier of a new model is temporary until the model is saved: it is only valid in this process.
public struct PersistentIdentifier: Hashable, Sendable, Identifiable {
    /// The name of the model's entity.
    public let entityName: String
    /// The identifier of the store. `nil` for a model that was not saved yet.
    public let storeIdentifier: String?
    /// The number in the store, or the number of a new model in this process.
    private let number: Int64

    /// The identifier itself.
    public var id: PersistentIdentifier { self }

    init(temporary number: Int64, entityName: String) {
        self.entityName = entityName
        storeIdentifier = nil
        self.number = number
    }

    /// Creates the identifier of a permanent ID.
    init(_ id: ObjectID) {
        // The parts of its URI, which would have to be parsed: a save makes an identifier for each model.
        let names = id.names
        entityName = names.entity
        storeIdentifier = id.isTemporary ? "" : names.entry?.identifier ?? ""
        number = id.key
    }

    private init(_ key: Int64, like other: PersistentIdentifier) {
        (entityName, storeIdentifier, number) = (other.entityName, other.storeIdentifier, key)
    }

    /// Returns the identifiers of permanent IDs, in their order. Names are looked up once for consecutive IDs of the same
    /// store and entity.
    static func all(_ ids: [ObjectID]) -> [PersistentIdentifier] {
        var last: (id: ObjectID, identifier: PersistentIdentifier)?
        return ids.map { id in
            if let last, last.id.store == id.store, last.id.entity == id.entity {
                return PersistentIdentifier(id.key, like: last.identifier)
            }
            let identifier = PersistentIdentifier(id)
            last = (id, identifier)
            return identifier
        }
    }

    /// The URI of the model. `nil` if the identifier is temporary.
    var uri: URL? {
        guard let storeIdentifier else { return nil }
        var components = URLComponents()
        (components.scheme, components.host) = ("x-coredata", storeIdentifier)
        components.path = "/\(entityName)/\(primaryKey)"
        return components.url
    }

    private var primaryKey: String { "\(storeIdentifier == nil ? "t" : "p")\(number)" }
}

extension PersistentIdentifier: Comparable {
    /// Compares the stores, then the entities, and then the order in which the models were created. Identifiers that
    /// are temporary come first.
    public static func < (left: Self, right: Self) -> Bool {
        (left.storeIdentifier ?? "", left.entityName, left.number)
            < (right.storeIdentifier ?? "", right.entityName, right.number)
    }
}

/// Identifiers are encoded as SwiftData encodes them on Apple's systems.
extension PersistentIdentifier: Codable {
    private enum OuterKey: String, CodingKey { case implementation }

    private enum Key: String, CodingKey {
        case entityName, isTemporary, primaryKey, storeIdentifier, uriRepresentation
    }

    /// Decodes an identifier. Does not check whether the model exists.
    ///
    /// - Throws: `DecodingError` if the content is no identifier, or a temporary one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OuterKey.self)
            .nestedContainer(keyedBy: Key.self, forKey: .implementation)
        entityName = try container.decode(String.self, forKey: .entityName)
        storeIdentifier = try container.decode(String.self, forKey: .storeIdentifier)
        let key = try container.decode(String.self, forKey: .primaryKey)
        guard key.hasPrefix("p"), let number = Int64(key.dropFirst()) else {
            throw DecodingError.dataCorruptedError(
                forKey: .primaryKey, in: container,
                debugDescription: "“\(key)” is not the key of a saved model, such as p12.")
        }
        self.number = number
    }

    /// Encodes the store, the entity and the key.
    ///
    /// - Throws: `EncodingError` if the identifier is temporary.
    public func encode(to encoder: any Encoder) throws {
        guard let storeIdentifier, let uri else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "The identifier of a new \(entityName) is only valid in this process."
                        + " Save the model first."))
        }
        var outer = encoder.container(keyedBy: OuterKey.self)
        var container = outer.nestedContainer(keyedBy: Key.self, forKey: .implementation)
        try container.encode(entityName, forKey: .entityName)
        try container.encode(false, forKey: .isTemporary)
        try container.encode(primaryKey, forKey: .primaryKey)
        try container.encode(storeIdentifier, forKey: .storeIdentifier)
        try container.encode(uri, forKey: .uriRepresentation)
    }
}
