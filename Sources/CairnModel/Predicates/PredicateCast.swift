import Foundation

/// The types that `CAST(value, "type")` converts to.
///
/// Constants without a literal are written as casts. For example, a date is written as
/// `CAST(694224000.0, "NSDate")`, with the number of seconds since 2001.
enum PredicateCast: String, CaseIterable {
    case number = "NSNumber"
    case double = "Double"
    case float = "Float"
    case decimal = "NSDecimalNumber"
    case string = "NSString"
    case date = "NSDate"
    case uuid = "NSUUID"
    case uri = "NSURL"
    case binary = "NSData"
    case transformable = "Transformable"
    case objectID = "NSManagedObjectID"

    /// Creates a type from its name, with or without Cocoa's prefix. Returns `nil` if the name is unknown.
    init?(name: String) {
        if let type = Self(rawValue: name) ?? Self(rawValue: "NS" + name) {
            self = type
        } else if name == "Decimal" || name == "ObjectID" {
            self = name == "Decimal" ? .decimal : .objectID
        } else {
            return nil
        }
    }

    /// Returns the value converted to this type, or `nil` if it cannot be converted. `.null` stays `.null`.
    func convert(_ value: Value) -> Value? {
        if value.isNull { return .null }
        switch self {
        case .number: return number(value)
        case .double: return doubleValue(value).map(Value.double)
        case .float: return doubleValue(value).map { .float(Float($0)) }
        case .decimal: return decimal(value)
        case .date:
            return doubleValue(value).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        default: return text(value)
        }
    }

    private func number(_ value: Value) -> Value? {
        switch value {
        case .integer, .double, .float, .decimal: value
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .date(let date): .double(date.timeIntervalSinceReferenceDate)
        case .string(let text): Int64(text).map(Value.integer) ?? Double(text).map(Value.double)
        default: nil
        }
    }

    private func doubleValue(_ value: Value) -> Double? {
        switch value {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .float(let value): Double(value)
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        case .date(let date): date.timeIntervalSinceReferenceDate
        case .string(let text) where self != .date: Double(text)
        default: nil
        }
    }

    private func decimal(_ value: Value) -> Value? {
        switch value {
        case .decimal: value
        case .integer(let value): .decimal(Decimal(value))
        case .string(let text): text == "NaN" ? .decimal(.nan) : Self.decimal(text)
        case .double(let value) where value.isFinite: Self.decimal("\(value)")
        case .float(let value) where value.isFinite: Self.decimal("\(value)")
        default: nil
        }
    }

    /// Returns the number that the whole string represents. Foundation alone would ignore trailing characters
    /// that it does not understand.
    private static func decimal(_ text: String) -> Value? {
        guard Double(text) != nil else { return nil }
        return Decimal(string: text).map(Value.decimal)
    }

    private func text(_ value: Value) -> Value? {
        switch (self, value) {
        case (.string, .integer(let value)): .string(String(value))
        case (.string, .uuid(let value)): .string(value.uuidString)
        case (.string, .uri(let value)): .string(value.absoluteString)
        case (.string, .string), (.uuid, .uuid), (.uri, .uri), (.binary, .binary),
            (.objectID, .objectID):
            value
        case (.uuid, .string(let text)): UUID(uuidString: text).map(Value.uuid)
        case (.uri, .string(let text)): URL(string: text).map(Value.uri)
        case (.binary, .string(let text)): Data(base64Encoded: text).map(Value.binary)
        case (.transformable, .string(let text)): Data(base64Encoded: text).map(Value.transformable)
        case (.objectID, .string(let text)): ObjectID(predicateText: text).map(Value.objectID)
        default: nil
        }
    }
}

extension ObjectID {
    /// The object ID as `store/root entity/entity/key`. The numbers are valid only in this process.
    var predicateText: String {
        "\(store.rawValue)/\(rootEntity.rawValue)/\(entity.rawValue)/\(key)"
    }

    fileprivate init?(predicateText text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let store = UInt32(parts[0]), let root = UInt16(parts[1]),
            let entity = UInt16(parts[2]), let key = Int64(parts[3])
        else { return nil }
        self.init(
            store: StoreNumber(rawValue: store), rootEntity: EntityNumber(root),
            entity: EntityNumber(entity), key: key)
    }
}
