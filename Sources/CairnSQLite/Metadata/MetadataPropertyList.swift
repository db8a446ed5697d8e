import CairnModel
import CairnModelArchive
import CairnStore
import Foundation

/// The property list in `Z_METADATA.Z_PLIST`.
struct MetadataPropertyList: Sendable {
    /// All entries, including Core Data's own.
    var entries: [String: MetadataValue]

    init(entries: [String: MetadataValue]) { self.entries = entries }

    /// Reads the stored form, which is binary, or XML in the oldest stores. Returns `nil` if the
    /// bytes are not a dictionary, or if it is too deep or too large.
    init?(_ data: Data) {
        let isBinary = data.starts(with: Array("bplist".utf8))
        guard let entries = isBinary ? Self.readBinary(data) : Self.readXML(data) else {
            return nil
        }
        self.entries = entries
    }

    /// Returns the stored form, a binary property list.
    ///
    /// - Throws: `.engineFailure`, but never for values that ``MetadataValue`` can hold.
    func encoded(for location: StoreLocation) throws(StoreError) -> Data {
        do {
            return try PropertyListSerialization.data(
                fromPropertyList: entries.mapValues(\.foundationValue), format: .binary,
                options: 0)
        } catch {
            throw .engineFailure(
                EngineFailure(
                    type: SQLiteStore.type, location: location, operation: "write the metadata",
                    code: 0, message: "\(error)"))
        }
    }

    // MARK: Reading

    private static func readBinary(_ data: Data) -> [String: MetadataValue]? {
        guard let list = try? BinaryPropertyList(Array(data)) else { return nil }
        var budget = mostValues
        guard case .dictionary(let entries)? = value(list.root, of: list, 0, &budget) else {
            return nil
        }
        return entries
    }

    private static func readXML(_ data: Data) -> [String: MetadataValue]? {
        guard data.starts(with: Array("<?xml".utf8)), data.count < 1 << 20,
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
            case .dictionary(let entries)? = MetadataValue(list, depth: 0)
        else { return nil }
        return entries
    }

    /// The maximum number of values that are read. Members may be shared, so a small file could
    /// expand to a huge value.
    private static let mostValues = 200_000
    static let deepest = 50

    private static func value(
        _ node: Int, of list: BinaryPropertyList, _ depth: Int, _ budget: inout Int
    ) -> MetadataValue? {
        budget -= 1
        guard budget > 0, depth < deepest, list.nodes.indices.contains(node) else { return nil }
        switch list.nodes[node] {
        case .null, .reference: return nil
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .unsigned(let value): return .integer(Int64(bitPattern: value))
        case .real(let value): return .real(value)
        case .date(let value): return .date(Date(timeIntervalSinceReferenceDate: value))
        case .data(let bytes): return .data(Data(bytes))
        case .string(let text): return .string(text)
        case .array(let members):
            return .array(members.compactMap { value($0, of: list, depth + 1, &budget) })
        case .dictionary:
            var entries: [String: MetadataValue] = [:]
            for (name, member) in list.members(of: node) ?? [:] {
                entries[name] = value(member, of: list, depth + 1, &budget)
            }
            return .dictionary(entries)
        }
    }
}

extension MetadataValue {
    /// The value as Foundation's property lists represent it.
    fileprivate var foundationValue: Any {
        switch self {
        case .string(let value): value
        case .integer(let value): value
        case .real(let value): value
        case .boolean(let value): value
        case .date(let value): value
        case .data(let value): value
        case .array(let members): members.map(\.foundationValue)
        case .dictionary(let entries): entries.mapValues(\.foundationValue)
        }
    }

    /// Returns `nil` if the value's type does not belong in a property list, or if the value is
    /// nested too deeply.
    fileprivate init?(_ value: Any, depth: Int) {
        guard depth < MetadataPropertyList.deepest else { return nil }
        switch value {
        case let value as String: self = .string(value)
        case let value as Bool: self = .boolean(value)
        case let value as Int64: self = .integer(value)
        case let value as Int: self = .integer(Int64(value))
        case let value as Double: self = .real(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .data(value)
        case let value as [Any]:
            self = .array(value.compactMap { MetadataValue($0, depth: depth + 1) })
        case let value as [String: Any]:
            self = .dictionary(value.compactMapValues { MetadataValue($0, depth: depth + 1) })
        default: return nil
        }
    }
}
