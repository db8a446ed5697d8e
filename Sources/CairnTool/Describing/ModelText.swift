import Cairn

/// A model as readable text: a paragraph for each entity, with the properties in columns.
struct ModelText {
    private let model: ManagedObjectModel

    init(_ model: ManagedObjectModel) { self.model = model }

    /// The paragraphs. Their order does not depend on how the model was read.
    var paragraphs: [String] {
        let entities = model.entities.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        var paragraphs = [heading] + entities.map { Self.text(of: EntitySummary($0)) }
        let description = model.description
        paragraphs += description.composites.sorted { $0.name < $1.name }.map(Self.text)
        paragraphs += Self.section(
            "Configurations",
            description.configurations.sorted { $0.key < $1.key }.map { name, entities in
                [name, entities.sorted().joined(separator: ", ")]
            })
        paragraphs += Self.section(
            "Fetch requests",
            description.fetchRequestTemplates.sorted { $0.key < $1.key }.map { name, template in
                [name, "fetch of \(template.entity)", template.phrases.joined(separator: " · ")]
            })
        return paragraphs
    }

    private var heading: String {
        let identifiers = model.description.versionIdentifiers.filter { !$0.isEmpty }.sorted()
        let names = identifiers.map { "“\($0)”" }.joined(separator: ", ")
        return "\(model.entities.count) \(model.entities.count == 1 ? "entity" : "entities")"
            + (identifiers.isEmpty ? "" : " · version identifier \(names)")
            + " · checksum \(model.versionChecksum)"
    }

    private static func text(of entity: EntitySummary) -> String {
        let head =
            (entity.isAbstract ? "abstract " : "") + entity.name
            + (entity.superentity.map { " : \($0)" } ?? "")
        let properties = entity.properties.map {
            [$0.name, $0.type, $0.notes.joined(separator: " · ")]
        }
        let facts = entity.facts.map { [$0.label, $0.text] }
        return ([head] + columns(properties) + (properties.isEmpty ? [] : [""]) + columns(facts))
            .joined(separator: "\n")
    }

    private static func text(of composite: CompositeDescription) -> String {
        let elements = composite.elements.map { element in
            [
                element.name, "\(element.type)",
                element.compositeName.map { "composite \($0)" } ?? "",
            ]
        }
        return (["composite \(composite.name)"] + columns(elements)).joined(separator: "\n")
    }

    private static func section(_ title: String, _ rows: [[String]]) -> [String] {
        rows.isEmpty ? [] : [([title] + columns(rows)).joined(separator: "\n")]
    }

    /// Returns the rows as lines with aligned columns and without trailing spaces.
    private static func columns(_ texts: [[String]]) -> [String] {
        let rows = texts.map { $0.map { VisibleText.line($0) } }
        let count = rows.map(\.count).max() ?? 0
        // Limit the widths, so that one long type does not move all notes far to the right.
        let widths = (0..<count).map { column in
            min(32, rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0)
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                cell + String(repeating: " ", count: max(0, widths[column] - cell.count))
            }
            let line = "    " + cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Returns the text of a value in the model, such as a default value.
    static func text(of value: Value) -> String {
        switch value {
        case .string(let text): "“\(text)”"
        case .date(let date):
            ISO8601Date.text(ofSeconds: date.timeIntervalSinceReferenceDate)
                ?? "\(date.timeIntervalSinceReferenceDate)"
        case .boolean(let isTrue): isTrue ? "yes" : "no"
        default: value.description
        }
    }
}

extension FetchRequestTemplate {
    /// Short phrases that describe the condition, the order and the limits of the fetch.
    var phrases: [String] {
        var phrases: [String] = []
        switch condition {
        case .predicate(let predicate): phrases.append("where \(predicate)")
        case .unreadable(let text, let reason):
            phrases.append("where \(text) (which cannot be used: \(reason))")
        case nil: break
        }
        if !sortDescriptors.isEmpty {
            let keys = sortDescriptors.map { $0.keyPath + ($0.isAscending ? "" : " descending") }
            phrases.append("sorted by " + keys.joined(separator: ", "))
        }
        if fetchLimit > 0 { phrases.append("at most \(fetchLimit)") }
        if fetchOffset > 0 { phrases.append("after the first \(fetchOffset)") }
        if resultType != .managedObjects { phrases.append("as \(resultType)") }
        if fetchBatchSize > 0 { phrases.append("in batches of \(fetchBatchSize)") }
        if !includesSubentities { phrases.append("without subentities") }
        if !includesPropertyValues { phrases.append("without property values") }
        if !includesPendingChanges { phrases.append("without unsaved changes") }
        if !returnsObjectsAsFaults { phrases.append("not as faults") }
        if returnsDistinctResults { phrases.append("distinct") }
        return phrases
    }
}
