import ArgumentParser
import Cairn

/// The stable JSON form of a model: architecture.md, "The command-line tool".
struct ModelReport: Encodable {
    struct EntityReport: Encodable {
        let versionHash: String
        let isAbstract: Bool
        let superentity: String?
        let attributes: [String: AttributeReport]
        let relationships: [String: RelationshipReport]
    }

    struct AttributeReport: Encodable {
        let type: String
        let isOptional: Bool
        let isTransient: Bool
        let isDerived: Bool
    }

    struct RelationshipReport: Encodable {
        let destination: String
        let inverse: String?
        let isToMany: Bool
        let isOrdered: Bool
        let isOptional: Bool
        let deleteRule: String
    }

    let entities: [String: EntityReport]

    init(_ model: ManagedObjectModel) {
        var entities: [String: EntityReport] = [:]
        for entity in model.entities { entities[entity.name] = EntityReport(entity) }
        self.entities = entities
    }
}
