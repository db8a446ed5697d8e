internal import CairnModel
internal import CairnObjects
internal import CairnQueries
internal import Foundation

/// How the values of a type are stored in an attribute.
class AttributeForm {
    let type: AttributeType
    let isOptional: Bool

    fileprivate init(_ type: AttributeType, isOptional: Bool) {
        (self.type, self.isOptional) = (type, isOptional)
    }

    /// Returns a stored value as a value of the type. Returns `nil` if the type does not have it.
    ///
    /// - Throws: The error of the type's `init(from:)`.
    func any(_ stored: Value) throws -> Any? { nil }

    /// Returns the value to store. Returns `.null` if the value is not of the type.
    ///
    /// - Throws: The error of the type's `encode(to:)`.
    func stored(_ value: Any) throws -> Value { .null }

    /// Whether values are stored as JSON.
    var isJSON: Bool { false }

    static func form(of type: any Codable.Type) -> AttributeForm {
        func form<Content: Codable>(_ type: Content.Type) -> AttributeForm { ValueForm(of: type) }
        return form(type)
    }

    /// Returns the value that an attribute of the value's own type would store. Returns `nil` if the value is not
    /// `Codable`, or cannot be encoded.
    static func constant(_ value: Any) -> Value? {
        func stored<Constant: Codable>(_ value: Constant) -> Value? {
            try? ValueForm(of: Constant.self).write(value)
        }
        return (value as? any Codable).flatMap { stored($0) }
    }
}

/// The form of a Swift type: numbers, text, dates and bytes as themselves, an enum as its raw value, and everything
/// else as JSON with sorted keys.
final class ValueForm<Content: Codable>: AttributeForm {
    /// Returns `nil` if the type does not have a stored value.
    let read: (Value) throws -> Content?
    let write: (Content) throws -> Value
    private let storesJSON: Bool

    override var isJSON: Bool { storesJSON }

    private init(
        _ type: AttributeType, isOptional: Bool = false, storesJSON: Bool = false,
        read: @escaping (Value) throws -> Content?,
        write: @escaping (Content) throws -> Value
    ) {
        (self.read, self.write, self.storesJSON) = (read, write, storesJSON)
        super.init(type, isOptional: isOptional)
    }

    /// Chooses the form of a type.
    convenience init(of _: Content.Type) {
        if let optional = Content.self as? any OptionalContent.Type {
            self.init(optional: optional)
        } else if let scalar = Content.self as? any AttributeValue.Type,
            !(Content.self is any CodableAttribute.Type)
        {
            self.init(scalar: scalar)
        } else if let raw = Content.self as? any RawRepresentable.Type, let form = Self.form(raw) {
            self.init(form.type, read: form.read, write: form.write)
        } else if let integer = Content.self as? any FixedWidthInteger.Type {
            self.init(integer: integer)
        } else {
            self.init(
                .binary, storesJSON: true, read: { try JSONForm.read($0) },
                write: { try JSONForm.write($0) })
        }
    }

    override func any(_ stored: Value) throws -> Any? { try read(stored) }

    override func stored(_ value: Any) throws -> Value {
        try (value as? Content).map(write) ?? .null
    }

    // MARK: Kinds of types

    private convenience init(optional: any OptionalContent.Type) {
        let wrapped = optional.wrappedForm
        self.init(wrapped.type, isOptional: true) { stored in
            if stored.isNull { return Optional<Any>.none as? Content }
            guard let value = try wrapped.any(stored) else { return nil }
            return value as? Content
        } write: { content in
            guard let value = (content as? any OptionalContent)?.wrappedContent else {
                return .null
            }
            return try wrapped.stored(value)
        }
    }

    private convenience init(scalar: any AttributeValue.Type) {
        self.init(
            scalar._attributeTypes.first ?? .undefined,
            read: { scalar.init(_attributeValue: $0) as? Content },
            write: { ($0 as? any AttributeValue)?._attributeValue ?? .null })
    }

    /// Unsigned integers and integers of 8 bits, in the next wider type. Numbers of 64 bits keep their bits.
    private convenience init(integer: any FixedWidthInteger.Type) {
        let type: AttributeType =
            switch integer.bitWidth {
            case ...15: .integer16
            case 16 where !integer.isSigned: .integer32
            case ...31: .integer16
            default: integer.bitWidth == 32 && integer.isSigned ? .integer32 : .integer64
            }
        self.init(type) { stored in
            guard case .integer(let number) = stored else { return nil }
            return integer.init(truncatingIfNeeded: number) as? Content
        } write: { content in
            .integer((content as? any FixedWidthInteger).map { Int64(truncatingIfNeeded: $0) } ?? 0)
        }
    }

    /// Returns the form of an enum or a structure with a raw value. Returns `nil` if the raw value is stored as JSON.
    private static func form<Raw: RawRepresentable>(
        _ raw: Raw.Type
    ) -> (type: AttributeType, read: (Value) throws -> Content?, write: (Content) throws -> Value)?
    {
        guard let codable = Raw.RawValue.self as? any Codable.Type else { return nil }
        let form = AttributeForm.form(of: codable)
        if form.isJSON { return nil }
        return (
            form.type,
            { try (form.any($0) as? Raw.RawValue).flatMap(Raw.init(rawValue:)) as? Content },
            { content in try (content as? Raw).map { try form.stored($0.rawValue) } ?? .null }
        )
    }
}

/// An optional whose wrapped type is `Codable`.
private protocol OptionalContent {
    static var wrappedForm: AttributeForm { get }
    var wrappedContent: Any? { get }
}

extension Optional: OptionalContent where Wrapped: Codable {
    fileprivate static var wrappedForm: AttributeForm { ValueForm(of: Wrapped.self) }
    fileprivate var wrappedContent: Any? { self }
}

/// Values as JSON in an attribute of type Binary Data. Equal values have equal bytes, except for
/// sets, which have no order.
private enum JSONForm {
    static func read<Content: Decodable>(_ stored: Value) throws -> Content? {
        guard case .binary(let bytes) = stored else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(Content.self, from: bytes)
    }

    static func write(_ content: some Encodable) throws -> Value {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return .binary(try encoder.encode(content))
    }
}
