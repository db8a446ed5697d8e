import Cairn

extension [EntityDescription] {
    /// Returns the entities with one of them changed.
    func changing(_ name: String, _ change: (inout EntityDescription) -> Void) -> Self {
        map { entity in
            var entity = entity
            if entity.name == name { change(&entity) }
            return entity
        }
    }

    /// Returns the entities with every relationship to one of them retargeted to another name.
    func retargeting(_ name: String, to newName: String) -> Self {
        map { entity in
            var entity = entity
            entity.properties = entity.properties.map { property in
                guard case .relationship(var relationship) = property,
                    relationship.destination == name
                else { return property }
                relationship.destination = newName
                return .relationship(relationship)
            }
            return entity
        }
    }
}

extension EntityDescription {
    func renamed(from name: String) -> EntityDescription {
        var entity = self
        entity.renamingIdentifier = name
        return entity
    }
}

extension AttributeDescription {
    static func renamed(
        _ name: String, _ type: AttributeType, from oldName: String
    ) -> AttributeDescription {
        var attribute = AttributeDescription(name, type)
        attribute.renamingIdentifier = oldName
        return attribute
    }

    /// The number of an author's books, which the store computes.
    static var bookCount: AttributeDescription {
        var attribute = AttributeDescription("bookCount", .integer64)
        attribute.derivation = Derivation(expression: "books.@count")
        return attribute
    }

    static func external(_ name: String) -> AttributeDescription {
        var attribute = AttributeDescription(name, .binary)
        attribute.allowsExternalBinaryDataStorage = true
        return attribute
    }
}

extension RelationshipDescription {
    static func renamed(
        _ property: PropertyDescription, from oldName: String
    ) -> RelationshipDescription {
        guard case .relationship(var relationship) = property else {
            preconditionFailure("a relationship is renamed")
        }
        relationship.renamingIdentifier = oldName
        return relationship
    }
}
