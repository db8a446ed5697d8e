import Foundation

/// Reads the value in a binary property list.
struct PropertyListValueReader {
    private let list: BinaryPropertyList
    private var budget: ValueBudget
    /// The node indices of the containers that are being read. Meeting one of them again means a cycle.
    private var open: Set<Int> = []

    static func value(of bytes: [UInt8]) throws(ArchiveError) -> ArchivableValue {
        let list = try BinaryPropertyList(bytes)
        var reader = PropertyListValueReader(
            list: list, budget: ValueBudget(byteCount: bytes.count))
        return try reader.value(list.root)
    }

    private init(list: BinaryPropertyList, budget: ValueBudget) {
        self.list = list
        self.budget = budget
    }

    private mutating func value(_ node: Int) throws(ArchiveError) -> ArchivableValue {
        try budget.spend(1)
        switch list.nodes[node] {
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .unsigned(let value): return .unsigned(value)
        case .real(let value): return .real(value)
        case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .string(let text):
            try budget.spend(valueOf: text.utf8.count)
            return .string(text)
        case .data(let bytes):
            // Unlike strings, data is copied each time.
            try budget.spend(bytes.count)
            return .data(Data(bytes))
        case .array(let members):
            try enter(node)
            defer { open.remove(node) }
            return .array(try values(members))
        case .dictionary(let keys, let values):
            try enter(node)
            defer { open.remove(node) }
            return .dictionary(try entries(keys, values))
        case .null: throw wrong("the property list contains a null")
        case .reference: throw wrong("the property list is a part of a keyed archive")
        }
    }

    private mutating func enter(_ node: Int) throws(ArchiveError) {
        guard open.insert(node).inserted else { throw .cyclic(object: node) }
        guard open.count <= ArchivableValue.depthLimit else {
            throw .tooDeep(limit: ArchivableValue.depthLimit)
        }
    }

    private mutating func values(_ members: [Int]) throws(ArchiveError) -> [ArchivableValue] {
        var values: [ArchivableValue] = []
        for member in members { values.append(try value(member)) }
        return values
    }

    private mutating func entries(
        _ keys: [Int], _ values: [Int]
    ) throws(ArchiveError) -> [ArchivableValue: ArchivableValue] {
        var entries: [ArchivableValue: ArchivableValue] = [:]
        for (key, member) in zip(keys, values) {
            guard case .string = list.nodes[key] else { throw wrong("a key is not a string") }
            let name = try value(key)
            guard entries.updateValue(try value(member), forKey: name) == nil else {
                throw wrong("a key occurs twice")
            }
        }
        return entries
    }

    private func wrong(_ detail: String) -> ArchiveError {
        .wrongValue(object: "the property list", key: "its members", detail: detail)
    }
}
