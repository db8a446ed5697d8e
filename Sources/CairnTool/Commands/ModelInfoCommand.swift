import ArgumentParser
import Cairn
import Foundation

/// `cairn model info`: what is in a model.
struct ModelInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows entities, attributes and relationships.")

    @OptionGroup var arguments: ModelArguments

    @Flag(help: "Print the stable JSON form.")
    var json = false

    func run() throws {
        let model = try arguments.model()
        if json {
            try Output.write(JSONEncoder.forTool(pretty: true).encode(ModelReport(model)))
            try Output.line("")
        } else {
            for entity in model.entities.sorted(by: { $0.name < $1.name }) {
                try Output.line(Self.text(of: entity))
            }
        }
    }

    private static func text(of entity: Entity) -> String {
        let parent = entity.superentity.map { ": \($0.name)" } ?? ""
        let head = (entity.isAbstract ? "abstract " : "") + entity.name + parent
        let lines = entity.ownProperties.map { "    " + $0.summary }
        return ([head + "    " + entity.versionHash.description.prefix(12) + "…"] + lines)
            .joined(separator: "\n") + "\n"
    }
}

extension ModelReport.EntityReport {
    init(_ entity: Entity) {
        versionHash = entity.versionHash.description
        isAbstract = entity.isAbstract
        superentity = entity.superentity?.name
        var attributes: [String: ModelReport.AttributeReport] = [:]
        for attribute in entity.attributes {
            attributes[attribute.name] = ModelReport.AttributeReport(
                type: "\(attribute.type)", isOptional: attribute.isOptional,
                isTransient: attribute.isTransient, isDerived: attribute.isDerived)
        }
        self.attributes = attributes
        var relationships: [String: ModelReport.RelationshipReport] = [:]
        for relationship in entity.relationships {
            relationships[relationship.name] = ModelReport.RelationshipReport(
                destination: relationship.destination.name,
                inverse: relationship.description.inverse, isToMany: relationship.isToMany,
                isOrdered: relationship.isOrdered, isOptional: relationship.isOptional,
                deleteRule: "\(relationship.deleteRule)")
        }
        self.relationships = relationships
    }
}

extension Property {
    /// One line for people: `title: string`, `books → many Book, inverse author, cascade`.
    var summary: String {
        switch self {
        case .attribute(let attribute):
            "\(attribute.name): \(attribute.type)" + (attribute.isOptional ? "?" : "")
                + (attribute.isTransient ? ", transient" : "")
                + (attribute.description.derivation.map { ", derived \($0.expression)" } ?? "")
        case .relationship(let relationship):
            "\(relationship.name) → "
                + (relationship.isToMany ? (relationship.isOrdered ? "ordered " : "many ") : "")
                + relationship.destination.name
                + (relationship.description.inverse.map { ", inverse \($0)" } ?? "")
                + ", \(relationship.deleteRule)"
        case .fetchedProperty(let fetched):
            "\(fetched.description.name) = fetch of \(fetched.description.template.entity)"
        }
    }
}
