import CairnEngineKit
import CairnModel

/// The names of a store's tables and columns. The store records them when it is created, so that a later version of
/// the rules, or a model with more entities, finds the same ones.
struct PostgresNames: Sendable {
    /// What a name is for.
    enum Role: String, Sendable {
        /// The table of a root entity.
        case table
        /// The value of a property, or the key of a to-one relationship's destination.
        case column
        /// The entity of a to-one relationship's destination.
        case entity
        /// The order key of an object among the members of an ordered to-many relationship, beside its inverse.
        case position
        /// The table of a many-to-many relationship's pairs.
        case pairs
    }

    struct Key: Hashable, Sendable {
        /// The entity that declares the property, or a root entity.
        var entity: String
        /// Empty for a table of objects.
        var property: String
        var role: Role
    }

    /// The engine's own columns, and those that every table of the server has.
    private static let takenColumns: Set<String> = [
        "_key", "_version", "_entity", "tableoid", "ctid", "xmin", "xmax", "cmin", "cmax",
    ]

    private(set) var names: [Key: String] = [:]

    subscript(key: Key) -> String? { names[key] }

    /// Creates the names that a store recorded.
    init(recorded names: [Key: String]) { self.names = names }

    /// Creates the names of a model, for a new store: readable ones, in lower case and with underscores.
    init(_ model: ManagedObjectModel) {
        var tables = Pool()
        for root in model.entities where root.superentity == nil {
            names[Key(entity: root.name, property: "", role: .table)] = tables.take(root.name)
            var columns = Pool(taken: Self.takenColumns)
            for entity in root.hierarchy {
                for property in entity.ownProperties { name(property, of: entity, &columns) }
            }
        }
        for entity in model.entities {
            for case .relationship(let relationship) in entity.ownProperties {
                guard PairRelationship(relationship) != nil else { continue }
                names[Key(entity: entity.name, property: relationship.name, role: .pairs)] =
                    tables.take("\(entity.name)_\(relationship.name)")
            }
        }
    }

    private mutating func name(
        _ property: Property, of entity: Entity, _ columns: inout Pool
    ) {
        guard property.storage.rowSlot != nil else { return }
        func key(_ role: Role) -> Key {
            Key(entity: entity.name, property: property.name, role: role)
        }
        names[key(.column)] = columns.take(property.name)
        guard case .relationship(let relationship) = property else { return }
        if relationship.destination.rootEntity.hierarchy.count > 1 {
            names[key(.entity)] = columns.take("\(property.name)_entity")
        }
        if let inverse = relationship.inverse, inverse.isOrdered {
            names[key(.position)] = columns.take("\(property.name)_position")
        }
    }

    /// Names that differ from each other. An identifier has at most 63 bytes.
    private struct Pool {
        var taken: Set<String> = []

        mutating func take(_ name: String) -> String {
            let readable = Self.readable(name)
            var (candidate, number) = (readable, 1)
            while !taken.insert(candidate).inserted {
                number += 1
                candidate = "\(readable)_\(number)"
            }
            return candidate
        }

        private static func readable(_ name: String) -> String {
            var text = ""
            var wasLower = false
            for scalar in name.unicodeScalars {
                let properties = scalar.properties
                let isWord = properties.isAlphabetic || properties.numericType != nil
                if properties.isUppercase, wasLower { text += "_" }
                wasLower = isWord && !properties.isUppercase
                text += isWord ? properties.lowercaseMapping : "_"
                if text.utf8.count > 48 { break }
            }
            // The engine's own tables begin like this.
            return text.hasPrefix("cairn_") || text.isEmpty ? "its_\(text)" : text
        }
    }
}
