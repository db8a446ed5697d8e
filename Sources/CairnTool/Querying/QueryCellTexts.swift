import Cairn

/// Formats the cells of a query as text or JSON.
struct QueryCellTexts {
    let model: ManagedObjectModel
    /// The maximum number of members of a to-many relationship that are listed.
    let memberLimit: Int
    /// The prefixes for the names of the stores' objects.
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

    /// Returns the text of a table cell. Values are cut off, because they can have any length. Members are
    /// not cut off, because the user chooses how many of them are listed.
    func ofTable(_ cell: QueryCell) -> String {
        switch cell {
        case .value: VisibleText.line(plain(cell), atMost: 40)
        case .members: plain(cell)
        }
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
