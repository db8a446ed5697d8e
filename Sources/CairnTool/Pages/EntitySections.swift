import Cairn

/// The sections of a page about a store's entities. Each section has a sample of the entity's objects, and
/// the entity's declaration in the model.
struct EntitySections {
    private let survey: StoreSurvey

    init(_ survey: StoreSurvey) { self.survey = survey }

    /// Returns the identifier of an entity's section, to which links refer.
    static func id(of entity: Entity) -> String { "entity-\(entity.number.rawValue)" }

    var html: HTML {
        guard let model = survey.model, !model.entities.isEmpty else { return .nothing }
        let entities = model.entities.sorted { Self.key(of: $0) < Self.key(of: $1) }
        let filled = entities.filter(mayHaveObjects)
        let others = entities.filter { !mayHaveObjects($0) }
        return HTML(.section, .id("entities")) {
            HTML(.h2) { "Entities" }
            for entity in filled { article(on: entity) }
            if !others.isEmpty, !filled.isEmpty {
                HTML(.h2, .class("later")) { "Entities without objects" }
            }
            for entity in others { slimEntry(on: entity) }
        }
    }

    private static func key(of entity: Entity) -> (String, String) {
        (entity.name.lowercased(), entity.name)
    }

    private func mayHaveObjects(_ entity: Entity) -> Bool {
        if let count = survey.counts[entity.name] { return count > 0 }
        let sample = survey.samples[entity.name]
        return sample?.objects.isEmpty == false || sample?.failure != nil
    }

    private func article(on entity: Entity) -> HTML {
        let summary = EntitySummary(entity)
        return HTML(.article, .class("entity"), .id(Self.id(of: entity))) {
            HTML(.header) {
                HTML(.h3) { HTML(.bdi) { entity.name } }
                HTML(.p, .class("soft")) { subtitle(of: entity) }
            }
            if let sample = survey.samples[entity.name] {
                SampleTable(sample, model: entity.model).html
            }
            declarations(summary)
        }
    }

    /// The section of an entity without objects takes one line until the reader opens it.
    private func slimEntry(on entity: Entity) -> HTML {
        let summary = EntitySummary(entity)
        return HTML(.details, .class("entity slim"), .id(Self.id(of: entity))) {
            HTML(.summary) {
                HTML(.strong) { HTML(.bdi) { entity.name } }
                HTML(.span, .class("soft")) {
                    entity.isAbstract ? " abstract, " : " "
                    Quantity.count(summary.properties.count, "property", "properties")
                }
            }
            content(of: summary)
        }
    }

    private func subtitle(of entity: Entity) -> HTML {
        HTML([
            entity.superentity.map { above in
                HTML([
                    HTML("a kind of "),
                    HTML(.a, .link(toID: Self.id(of: above))) { HTML(.bdi) { above.name } },
                    HTML(" · "),
                ])
            } ?? .nothing,
            HTML(entity.isAbstract ? "abstract" : number(of: entity)),
        ])
    }

    private func number(of entity: Entity) -> String {
        if let count = survey.counts[entity.name] { return Quantity.count(count, "object") }
        // A store that was migrated may have recorded the entity under another name.
        return survey.isCountComplete ? "no objects" : "objects not counted"
    }

    private func declarations(_ summary: EntitySummary) -> HTML {
        HTML(.details) {
            HTML(.summary) {
                summary.properties.isEmpty
                    ? "No properties of its own"
                    : Quantity.count(summary.properties.count, "property", "properties")
            }
            content(of: summary)
        }
    }

    private func content(of summary: EntitySummary) -> HTML {
        HTML([
            summary.properties.isEmpty ? .nothing : table(of: summary.properties),
            HTML(.dl, .class("declared")) {
                for fact in summary.facts {
                    HTML(.div) {
                        HTML(.dt) { fact.label }
                        HTML(.dd) { fact.text }
                    }
                }
            },
        ])
    }

    private func table(of properties: [PropertySummary]) -> HTML {
        HTML(.div, .class("scroll")) {
            HTML(.table, .class("declared")) {
                HTML(.tbody) {
                    for property in properties {
                        HTML(.tr) {
                            HTML(.th, .scope("row")) { HTML(.bdi) { property.name } }
                            HTML(.td, .class("mono")) { property.type }
                            HTML(.td, .class("soft")) { property.notes.joined(separator: " · ") }
                        }
                    }
                }
            }
        }
    }
}
