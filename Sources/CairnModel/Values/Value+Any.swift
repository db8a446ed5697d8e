import Foundation

extension Optional where Wrapped == Any {
    /// Whether this is `nil`, however deeply it is wrapped in optionals.
    @usableFromInline package var isNothing: Bool {
        switch self {
        case nil: true
        case .some(let value):
            Value.isWrappedNil(value)
        }
    }
}

extension Value {
    fileprivate static func isWrappedNil(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return false }
        return mirror.children.first.map { isWrappedNil($0.value) } ?? true
    }

    /// The value as an instance of the corresponding Swift type.
    @usableFromInline package var anyValue: Any? {
        switch self {
        case .null: nil
        case .boolean(let value): value
        case .integer(let value): value
        case .double(let value): value
        case .float(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let value): value
        case .binary(let value), .transformable(let value): value
        case .uuid(let value): value
        case .uri(let value): value
        case .composite(let value): value
        case .objectID(let value): value
        }
    }

    /// Creates a value for an attribute from a Swift value. Returns `nil` if the Swift value does not
    /// fit.
    ///
    /// Numbers and Booleans, including `NSNumber`, fit every numeric and Boolean attribute whose range
    /// includes them; see ``AnyNumber``.
    package init?(any value: Any?, as type: AttributeType) {
        guard let value else {
            self = .null
            return
        }
        if let plain = Self.plain(value), plain.fits(type) {
            self = plain
            return
        }
        guard !Optional(value).isNothing else {
            self = .null
            return
        }
        let general = (value as? Value) ?? Self.general(value, as: type)
        guard let general, general.fits(type) else { return nil }
        self = general
    }

    /// Converts a value of one of the most frequent types. Comparing types costs a tenth of casting to
    /// each.
    private static func plain(_ value: Any) -> Value? {
        let type = Swift.type(of: value)
        if type == String.self { return (value as? String).map(Value.string) }
        if type == Int64.self { return (value as? Int64).map(Value.integer) }
        if type == Int.self { return (value as? Int).map { .integer(Int64($0)) } }
        if type == Double.self { return (value as? Double).map(Value.double) }
        if type == Bool.self { return (value as? Bool).map(Value.boolean) }
        if type == Date.self { return (value as? Date).map(Value.date) }
        return nil
    }

    private static func general(_ value: Any, as type: AttributeType) -> Value? {
        if let number = AnyNumber(value) { return Value(number, as: type) }
        return switch value {
        case let value as String: .string(value)
        case let value as Substring: .string(String(value))
        case let value as Date: .date(value)
        case let value as UUID: .uuid(value)
        case let value as URL: .uri(value)
        case let value as Data: type == .transformable ? .transformable(value) : .binary(value)
        case let value as [String: Value]: .composite(value)
        case let value as ObjectID: .objectID(value)
        default: nil
        }
    }

    /// The name of the value's type, for error messages.
    package var typeDescription: String {
        switch self {
        case .null: "nil"
        case .boolean: "a Boolean"
        case .integer: "an integer"
        case .double: "a double"
        case .float: "a float"
        case .decimal: "a decimal"
        case .string: "a string"
        case .date: "a date"
        case .binary: "bytes"
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .transformable: "a transformable"
        case .composite: "a composite"
        case .objectID: "an object ID"
        }
    }
}
