import Foundation

extension AttributeType {
    /// Returns a value of this type converted to another type, without loss. `.null` stays `.null`.
    ///
    /// Returns `nil` if `convertsLosslessly(to:)` is `false`, or if the value does not have this type.
    /// Booleans become 0 and 1, UUIDs upper-case strings, and URIs their absolute strings.
    public func convert(_ value: Value, to other: AttributeType) -> Value? {
        guard convertsLosslessly(to: other) else { return nil }
        return switch (value, other) {
        case (.null, _): .null
        case (.boolean(let it), _): Self.number(it ? 1 : 0, as: other)
        case (.integer(let it), .string): .string(String(it))
        case (.integer(let it), _): Self.number(it, as: other)
        case (.float(let it), .double): .double(Double(it))
        case (.uuid(let it), .string): .string(it.uuidString)
        case (.uri(let it), .string): .string(it.absoluteString)
        default: nil
        }
    }

    private static func number(_ value: Int64, as type: AttributeType) -> Value? {
        switch type {
        case .integer16, .integer32, .integer64: .integer(value)
        case .decimal: .decimal(Decimal(value))
        case .double: .double(Double(value))
        case .float: .float(Float(value))
        default: nil
        }
    }
}
