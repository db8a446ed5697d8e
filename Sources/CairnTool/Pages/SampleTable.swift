import Cairn

/// A few objects of an entity as a table.
struct SampleTable {
    private let sample: EntitySample
    private let model: ManagedObjectModel

    /// If a table would have more columns, columns without any value are left out.
    private static let mostColumns = 8

    init(_ sample: EntitySample, model: ManagedObjectModel) {
        self.sample = sample
        self.model = model
    }

    var html: HTML {
        HTML([table, notes])
    }

    private var columns: [Int] {
        let all = Array(sample.properties.indices)
        guard all.count > Self.mostColumns else { return all }
        return all.filter { column in
            sample.objects.contains { ![.missing, .members(0)].contains($0.cells[column]) }
        }
    }

    private var table: HTML {
        guard !sample.objects.isEmpty else { return .nothing }
        let columns = columns
        return HTML(
            .div, .class("scroll"), .focusable, .region, .label("Sample; it can be scrolled")
        ) {
            HTML(.table, .class("sample")) {
                HTML(.thead) {
                    HTML(.tr) {
                        HTML(.th, .scope("col")) { "" }
                        for column in columns {
                            let heading = HTML(.bdi) { sample.properties[column] }
                            if isNumeric(column) {
                                HTML(.th, .scope("col"), .class("number")) { heading }
                            } else {
                                HTML(.th, .scope("col")) { heading }
                            }
                        }
                    }
                }
                HTML(.tbody) {
                    for object in sample.objects {
                        HTML(.tr) {
                            HTML(.th, .scope("row")) { object.name }
                            for column in columns { cell(object.cells[column]) }
                        }
                    }
                }
            }
        }
    }

    private func isNumeric(_ column: Int) -> Bool {
        sample.objects.contains { object in
            switch object.cells[column] {
            case .number, .members: true
            default: false
            }
        }
    }

    private var notes: HTML {
        let hidden = sample.properties.count - columns.count
        return HTML([
            hidden > 0 && !sample.objects.isEmpty
                ? HTML(.p, .class("note")) {
                    "\(Quantity.count(hidden, "property", "properties")) without a value in these objects"
                        + " \(hidden == 1 ? "is" : "are") left out."
                } : .nothing,
            sample.failure.map { failure in
                HTML(.p, .class("note bad")) {
                    sample.objects.isEmpty
                        ? "These objects could not be read: \(failure)"
                        : "No more objects could be read: \(failure)"
                }
            } ?? .nothing,
        ])
    }

    private func cell(_ cell: EntitySample.Cell) -> HTML {
        switch cell {
        case .missing: HTML(.td, .class("nil")) { "–" }
        case .text("", _): HTML(.td, .class("soft")) { "empty" }
        case .text(let line, let count):
            HTML(.td, .class("text")) {
                HTML(.bdi) { line }
                if let count {
                    HTML(.span, .class("soft")) { " \(Quantity.count(count, "character"))" }
                }
            }
        case .number(let number): HTML(.td, .class("number")) { number }
        case .word(let word): HTML(.td, .class("word")) { word }
        case .members(let count): HTML(.td, .class("number")) { Quantity.count(count) }
        case .object(let name, let entity):
            HTML(.td, .class("word")) {
                if let entity = model.entity(named: entity) {
                    HTML(.a, .link(toID: EntitySections.id(of: entity))) { name }
                } else {
                    name
                }
            }
        case .bytes(let count, let beginning, let kind):
            HTML(.td, .class("word")) {
                "\(kind.map { "\($0), " } ?? "")\(Quantity.bytes(count)) "
                HTML(.span, .class("mono soft")) { beginning }
            }
        case .unreadable(let reason): HTML(.td, .class("bad")) { reason }
        }
    }
}
