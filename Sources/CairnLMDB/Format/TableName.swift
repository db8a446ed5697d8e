import CairnModel
import CairnStore

/// The names of a store's tables.
///
/// A name is a kind and names of the model, split by `/`. `cairn` comes before all others.
enum TableName {
    /// What the store says of itself.
    static let metadata = "cairn"

    /// The rows of a root entity's hierarchy, by key.
    static func rows(_ root: Entity) -> String { join("rows", [root.name]) }

    /// Keys of rows by the value of an attribute.
    static func index(_ attribute: Attribute) -> String {
        join("index", [attribute.entity.name, attribute.name])
    }

    /// (destination, source) of a to-one relationship.
    static func links(_ relationship: Relationship) -> String {
        join("links", [relationship.entity.name, relationship.name])
    }

    /// (owner, member) of a to-many relationship that owns its pairs.
    static func pairs(_ relationship: Relationship) -> String {
        join("pairs", [relationship.entity.name, relationship.name])
    }

    /// (member, owner) of the same.
    static func inversePairs(_ relationship: Relationship) -> String {
        join("pairs", [relationship.entity.name, relationship.name, "inverse"])
    }

    /// Keys of rows by the hash of the values that a uniqueness constraint names.
    static func unique(_ entity: Entity, _ properties: [String]) -> String {
        join("unique", [entity.name] + properties)
    }

    private static func join(_ kind: String, _ names: [String]) -> String {
        let name = ([kind] + names.map(escaped)).joined(separator: "/")
        guard name.utf8.count > IndexKey.byteCountLimit - 1 else { return name }
        // LMDB's limit for a name is that of a key: the hash tells long names apart.
        let hash = Array(name.utf8).withUnsafeBytes(Checksum.of)
        let start = name.unicodeScalars.prefix(100).map(String.init).joined()
        return "\(start)#\(String(hash, radix: 16))"
    }

    private static func escaped(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "%"), UInt8(ascii: "#"), 0: false
            default: true
            }
        }
        if isPlain { return name }
        return name.unicodeScalars.map { scalar in
            "/%#\0".unicodeScalars.contains(scalar)
                ? "%" + String(scalar.value + 0x100, radix: 16).dropFirst() : String(scalar)
        }.joined()
    }
}
