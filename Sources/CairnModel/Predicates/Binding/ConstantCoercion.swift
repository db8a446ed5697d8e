import Foundation

extension Value {
    /// Returns the value in the form that an attribute of the type stores. Returns `nil` if the type has no
    /// equal value.
    ///
    /// Integers must be in the range of the type's width. A number becomes the nearest float.
    package func converted(to type: AttributeType) -> Value? {
        let value = ConstantCoercion.coerce(self, to: type)
        return value?.fits(type) == true ? value : Optional.none
    }
}

/// Converts a constant to the type that it is compared with.
enum ConstantCoercion {
    /// Returns the constant converted to the type. Returns it unchanged if values of its own type compare
    /// with values of `type`. Returns `nil` if the two cannot be compared.
    static func coerce(_ value: Value, to type: AttributeType) -> Value? {
        if value.isNull { return value }
        guard let target = ComparisonClass(type), let own = value.type.flatMap(ComparisonClass.init)
        else { return nil }
        switch (value, target) {
        case (_, .number) where own == .number: return number(value, to: type) ?? value
        case (.string(let text), .uuid): return UUID(uuidString: text).map(Value.uuid)
        case (.string(let text), .uri): return URL(string: text).map(Value.uri)
        case (.uuid(let uuid), .text): return .string(uuid.uuidString)
        case (.uri(let url), .text): return .string(url.absoluteString)
        case (.binary(let data), .transformable): return .transformable(data)
        // This is not a conditional expression, because in one, `nil` would mean the value `.null`.
        case _ where own == target: return value
        default: return nil
        }
    }

    /// Returns the number converted to the type, or `nil` if the type has no equal value.
    private static func number(_ value: Value, to type: AttributeType) -> Value? {
        switch type {
        case .integer16, .integer32, .integer64: integer(value).map(Value.integer)
        case .boolean: boolean(value)
        case .double: double(value).map(Value.double)
        case .float: float(value)
        case .decimal: decimal(value)
        case .date: double(value).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        default: nil
        }
    }

    private static func integer(_ value: Value) -> Int64? {
        switch value {
        case .integer(let value): value
        case .boolean(let flag): flag ? 1 : 0
        case .double(let value): Int64(exactly: value)
        case .float(let value): Int64(exactly: value)
        case .decimal(let value): Int64(exactly: value)
        default: nil
        }
    }

    private static func boolean(_ value: Value) -> Value? {
        if case .boolean = value { return value }
        return switch integer(value) {
        case 0: .boolean(false)
        case 1: .boolean(true)
        default: nil
        }
    }

    private static func double(_ value: Value) -> Double? {
        switch value {
        case .integer(let value): Double(exactly: value)
        case .boolean(let flag): flag ? 1 : 0
        case .double(let value): value
        case .float(let value): Double(value)
        case .decimal(let value): value.isNaN ? .nan : Double(value.description)
        case .date(let date): date.timeIntervalSinceReferenceDate
        default: nil
        }
    }

    /// Returns the nearest float, which is also what assigning the literal to an attribute stores.
    private static func float(_ value: Value) -> Value? {
        if case .integer(let value) = value { return Float(exactly: value).map(Value.float) }
        guard let double = double(value) else { return nil }
        let float = Float(double)
        guard float.isFinite == double.isFinite else { return nil }
        return .float(float)
    }

    private static func decimal(_ value: Value) -> Value? {
        switch value {
        case .decimal: value
        case .integer(let value): .decimal(Decimal(value))
        case .boolean(let flag): .decimal(flag ? 1 : 0)
        case .double(let value) where value.isFinite:
            Decimal(string: value.description).map(Value.decimal)
        case .float(let value) where value.isFinite:
            Decimal(string: value.description).map(Value.decimal)
        default: nil
        }
    }
}

extension Int64 {
    /// Creates an integer from a decimal, if the decimal is whole and fits in 64 bits.
    init?(exactly decimal: Decimal) {
        guard !decimal.isNaN, decimal.isFinite, let value = Int64(decimal.description) else {
            return nil
        }
        self = value
    }
}
