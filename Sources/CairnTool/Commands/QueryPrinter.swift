import Cairn
import Foundation

/// Prints fetched rows: a column for each stored property of the entity.
struct QueryPrinter {
    /// Reads the bytes that rows keep elsewhere.
    private let coordinator: PersistentStoreCoordinator
    private let layouts: RowLayouts
    private let plan: FetchPlan
    /// What is written before the names of a store's objects.
    private let prefixes: [StoreNumber: String]
    /// The values whose files are missing; they are printed as null.
    private(set) var missing = MissingDataReport()

    init(
        coordinator: PersistentStoreCoordinator, plan: FetchPlan,
        prefixes: [StoreNumber: String]
    ) {
        self.coordinator = coordinator
        layouts = coordinator.layouts
        self.plan = plan
        self.prefixes = prefixes
    }

    /// Prints the rows in their order.
    ///
    /// - Throws: ``ToolFailure`` if standard output cannot be written; `GraphError` for bytes that
    ///   cannot be read.
    mutating func print(_ rows: RowBatch, as format: StoreQueryCommand.Format) throws {
        switch format {
        case .table:
            try Output.line(
                TextGrid(headings: headings, rightAligned: numericColumns)
                    .text(of: try rows.rows.map { try cells(of: $0).map(Self.shortened) }))
        case .csv:
            try Output.line(Self.csv(headings))
            for row in rows.rows { try Output.line(Self.csv(try cells(of: row))) }
        case .json:
            let encoder = JSONEncoder.forTool(pretty: false)
            for row in rows.rows {
                try Output.write(try encoder.encode(try members(of: row)) + Data("\n".utf8))
            }
        }
    }

    /// Properties that every match has: those of the plan's entity.
    private var properties: [Property] { layouts.layout(of: plan.entity).properties }

    private var headings: [String] { ["object"] + properties.map(\.name) }

    private var numericColumns: Set<Int> {
        Set(
            properties.indices.filter {
                if case .attribute(let attribute) = properties[$0] {
                    attribute.type.isNumeric
                } else {
                    false
                }
            }.map { $0 + 1 })
    }

    private mutating func cells(of row: Row) throws(GraphError) -> [String] {
        [name(of: row.id)] + (try values(of: row)).map(cell)
    }

    private func name(of id: ObjectID) -> String {
        prefixes[id.store, default: ""] + id.shortName(in: layouts.model)
    }

    private func json(_ value: Value) -> JSONValue {
        if case .objectID(let id) = value { return .text(name(of: id)) }
        return JSONValue(value, model: layouts.model)
    }

    private mutating func members(of row: Row) throws(GraphError) -> [String: JSONValue] {
        var members: [String: JSONValue] = ["object": .text(name(of: row.id))]
        for (property, value) in zip(properties, try values(of: row)) {
            members[property.name] = json(value)
        }
        return members
    }

    private mutating func values(of row: Row) throws(GraphError) -> [Value] {
        guard let layout = layouts.layout(of: row.entity) else { return [] }
        var values: [Value] = []
        // A superentity's slots come first in every subentity.
        for (property, slot) in zip(properties, layout.slots) {
            values.append(
                try layout.value(of: property, at: slot, in: row, noting: &missing) {
                    [coordinator] (reference) throws(GraphError) in
                    try coordinator.externalData(reference)
                })
        }
        return values
    }

    /// People read dates as such; what no calendar reaches stays a number.
    private func cell(_ value: Value) -> String {
        if case .date(let date) = value,
            abs(date.timeIntervalSinceReferenceDate) < Self.calendarSeconds
        {
            return date.formatted(.iso8601)
        }
        return json(value).plainText
    }

    /// About 3,000 years to either side of 2001.
    private static let calendarSeconds = 1e11

    private static func shortened(_ cell: String) -> String {
        let line = cell.replacing(/[\n\r\t]+/, with: " ")
        return line.count > 40 ? line.prefix(39) + "…" : line
    }

    /// RFC 4180: quotes around what holds a comma, a quote or a line end, quotes inside doubled.
    private static func csv(_ cells: [String]) -> String {
        cells.map { cell in
            cell.contains(where: { ",\"\n\r\r\n".contains($0) })
                ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
        }.joined(separator: ",")
    }
}

extension JSONValue {
    /// The value as the text of a table or CSV cell. Empty for `nil`.
    var plainText: String {
        switch self {
        case .null: ""
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .text(let value): value
        case .array(let values): values.map(\.plainText).joined(separator: " ")
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.plainText)" }
                .joined(separator: " ")
        }
    }
}
