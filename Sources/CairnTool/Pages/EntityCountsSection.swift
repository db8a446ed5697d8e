import Cairn

/// The section with the number of objects of each entity, largest first. The names link to the entities.
struct EntityCountsSection {
    private let counts: [(name: String, count: Int)]
    private let total: Int
    private let isComplete: Bool
    private let model: ManagedObjectModel?

    init(_ survey: StoreSurvey) {
        counts = survey.counts.map { ($0.key, $0.value) }
            .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
        total = survey.counts.values.reduce(0, +)
        isComplete = survey.isCountComplete
        model = survey.model
    }

    var html: HTML {
        let shown = counts.filter { $0.count > 0 }
        let largest = shown.first?.count ?? 1
        return HTML(.section, .id("objects")) {
            HTML(.h2) { "Objects" }
            if counts.isEmpty {
                HTML(.p, .class("note")) { "The objects could not be counted." }
            } else if shown.isEmpty, isComplete {
                HTML(.p, .class("note")) { "The store is empty: it contains no objects." }
            } else {
                HTML(.table, .class("counts")) {
                    HTML(.thead) {
                        HTML(.tr) {
                            HTML(.th, .scope("col")) { "Entity" }
                            HTML(.th, .scope("col"), .class("wide")) { "" }
                            HTML(.th, .scope("col"), .class("number")) { "Objects" }
                            HTML(.th, .scope("col"), .class("number")) { "Share" }
                        }
                    }
                    HTML(.tbody) {
                        for (name, count) in shown { row(name, count, largest: largest) }
                    }
                }
                if isComplete {
                    empty
                } else {
                    HTML(.p, .class("note")) {
                        "The objects of other entities could not be counted."
                    }
                }
            }
        }
    }

    private func row(_ name: String, _ count: Int, largest: Int) -> HTML {
        HTML(.tr) {
            HTML(.th, .scope("row")) { link(to: name) }
            HTML(.td, .class("wide")) {
                HTML(.span, .class("bar"), .share(Double(count) / Double(largest))) { "" }
            }
            HTML(.td, .class("number")) { Quantity.count(count) }
            HTML(.td, .class("number soft")) { Self.percentage(count, of: total) }
        }
    }

    /// A note with the names of the concrete entities that have no objects.
    private var empty: HTML {
        let names = counts.filter { entry in
            entry.count == 0 && model?.entity(named: entry.name)?.isAbstract != true
        }.map(\.name)
        if names.isEmpty { return .nothing }
        return HTML(.p, .class("note")) {
            "Without objects: "
            for (index, name) in names.enumerated() {
                if index > 0 { ", " }
                link(to: name)
            }
            "."
        }
    }

    private func link(to name: String) -> HTML {
        guard let entity = model?.entity(named: name) else { return HTML(.bdi) { name } }
        return HTML(.a, .link(toID: EntitySections.id(of: entity))) { HTML(.bdi) { name } }
    }

    private static func percentage(_ count: Int, of total: Int) -> String {
        let tenths = (Double(count) / Double(max(1, total)) * 1000).rounded()
        return tenths < 1 ? "< 0.1 %" : "\(tenths / 10) %"
    }
}
