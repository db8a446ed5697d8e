import CairnModel
import CairnRows

/// The names of a store's tables.
///
/// A name consists of a kind and names from the model, separated by `/`. The table `cairn` precedes
/// all others.
enum TableName {
    /// The table with the store's metadata.
    static let metadata = "cairn"

    /// The transactions of the history, if the store keeps one.
    static let history = "history"

    /// The rows of a root entity's hierarchy, by key.
    static func rows(_ root: Entity) -> String { join("rows", [root.name]) }

    /// The keys of rows, by the value of an attribute.
    static func index(_ attribute: Attribute) -> String {
        join("index", [attribute.entity.name, attribute.name])
    }

    /// The links of a to-one relationship, by (destination, source).
    static func links(_ relationship: Relationship) -> String {
        join("links", [relationship.entity.name, relationship.name])
    }

    /// The pairs of a to-many relationship, by (owner, member). The relationship is the side that
    /// owns the pairs.
    static func pairs(_ relationship: Relationship) -> String {
        join("pairs", [relationship.entity.name, relationship.name])
    }

    /// The same pairs, by (member, owner).
    static func inversePairs(_ relationship: Relationship) -> String {
        join("pairs", [relationship.entity.name, relationship.name, "inverse"])
    }

    /// The keys of rows, by the hash of the values in a uniqueness constraint.
    static func unique(_ entity: Entity, _ properties: [String]) -> String {
        join("unique", [entity.name] + properties)
    }

    private static func join(_ kind: String, _ names: [String]) -> String {
        let name = ([kind] + names.map(escaped)).joined(separator: "/")
        guard name.utf8.count > IndexKey.byteCountLimit - 1 else { return name }
        // LMDB limits names like keys. The hash distinguishes long names.
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
