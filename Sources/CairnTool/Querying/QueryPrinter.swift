import Cairn
import CairnRows
import Foundation

/// A printer of fetched objects as rows, with a column for each path.
struct QueryPrinter {
    private var reader: QueryReader
    private let columns: [QueryColumn]
    private let texts: QueryCellTexts

    /// The number of objects that are printed at a time. It limits the data that is read in addition to the
    /// fetched rows.
    private static let batchCount = 500

    /// The values whose files are missing. They are printed as null.
    var missing: MissingDataReport { reader.missing }

    init(
        _ reader: QueryReader, columns: [QueryColumn], prefixes: [StoreNumber: String],
        dates: DateOption.Form
    ) {
        self.reader = reader
        self.columns = columns
        texts = QueryCellTexts(
            model: reader.coordinator.layouts.model, memberLimit: reader.memberLimit,
            prefixes: prefixes, dates: dates)
    }

    /// Prints the rows in order.
    ///
    /// - Throws: ``ToolFailure`` if writing to standard output fails; `GraphError` if a value cannot be read.
    mutating func print(_ rows: RowBatch, as format: StoreQueryCommand.Format) throws {
        let (columns, texts) = (columns, texts)
        switch format {
        case .table:
            var lines: [[String]] = []
            try forEach(rows) { lines.append($0.map(texts.ofTable)) }
            try Output.line(
                TextGrid(headings: columns.map(\.heading), rightAligned: numericColumns)
                    .text(of: lines))
        case .csv:
            try Output.line(Self.csv(columns.map(\.heading)))
            try forEach(rows) { try Output.line(Self.csv($0.map(texts.plain))) }
        case .json:
            let encoder = JSONEncoder.forTool(pretty: false)
            try forEach(rows) { cells in
                let members = zip(columns, cells).map { ($0.heading, texts.json($1)) }
                let object = Dictionary(members, uniquingKeysWith: { first, _ in first })
                try Output.write(try encoder.encode(object) + Data("\n".utf8))
            }
        }
    }

    /// Calls the body with the cells of each row.
    private mutating func forEach(_ rows: RowBatch, _ body: ([QueryCell]) throws -> Void) throws {
        for start in stride(from: 0, to: rows.count, by: Self.batchCount) {
            let part = rows.slice(start..<min(start + Self.batchCount, rows.count))
            for cells in try reader.cells(of: Array(part.rows), in: columns) { try body(cells) }
        }
    }

    private var numericColumns: Set<Int> {
        Set(columns.indices.filter { columns[$0].isNumeric(memberLimit: reader.memberLimit) })
    }

    /// Returns a line of CSV (RFC 4180). Cells with a comma, a quote or a line break are quoted, and their
    /// quotes are doubled.
    private static func csv(_ cells: [String]) -> String {
        cells.map { cell in
            cell.contains(where: { ",\"\n\r\r\n".contains($0) })
                ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
        }.joined(separator: ",")
    }
}

/// A converter from the cells of a query to text or JSON.
struct QueryCellTexts {
    let model: ManagedObjectModel
    /// The number of members of a to-many relationship that are listed.
    let memberLimit: Int
    /// The prefixes of the names of each store's objects.
    let prefixes: [StoreNumber: String]
    let dates: DateOption.Form

    private func name(of id: ObjectID) -> String {
        prefixes[id.store, default: ""] + id.shortName(in: model)
    }

    func json(_ cell: QueryCell) -> JSONValue {
        switch cell {
        case .value(let value): json(value)
        case .members(let count, let first) where memberLimit == 0 && first.isEmpty:
            .object(["count": .integer(Int64(count))])
        case .members(let count, let first):
            .object([
                "count": .integer(Int64(count)),
                "objects": .array(first.map { .text(name(of: $0)) }),
            ])
        }
    }

    private func json(_ value: Value) -> JSONValue {
        if case .objectID(let id) = value { return .text(name(of: id)) }
        return JSONValue(value, model: model, dates: dates)
    }

    func plain(_ cell: QueryCell) -> String {
        switch cell {
        case .value(let value): return json(value).plainText
        case .members(let count, let first):
            if memberLimit == 0 { return "\(count)" }
            let rest = count - first.count
            return (first.map(name) + (rest > 0 ? ["+\(rest) more"] : [])).joined(separator: " ")
        }
    }

    /// Returns the text for a table. Values are shortened. Members are not, because the user limits their
    /// number.
    func ofTable(_ cell: QueryCell) -> String {
        switch cell {
        case .value: VisibleText.line(plain(cell), atMost: 40)
        case .members: plain(cell)
        }
    }
}

extension JSONValue {
    /// The value as text for a table or CSV cell. Empty for `nil`.
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
