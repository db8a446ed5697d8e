internal import CairnModel
internal import CairnObjects
internal import CairnQueries
internal import Foundation

/// How the values of a type are stored in an attribute.
class AttributeForm {
    let type: AttributeType
    let isOptional: Bool
    /// The elements of an attribute that has some. `nil` for other attributes.
    let composite: CompositeForm?

    private let content: ObjectIdentifier

    fileprivate init(
        _ type: AttributeType, isOptional: Bool, _ composite: CompositeForm?, of content: Any.Type
    ) {
        (self.type, self.isOptional, self.composite) = (type, isOptional, composite)
        self.content = ObjectIdentifier(content)
    }

    /// Returns this form as that of a type. Returns `nil` if it is that of another type.
    @inline(__always) func typed<Content: Codable>(as type: Content.Type) -> ValueForm<Content>? {
        // A cast would take most of the time of a read.
        content == ObjectIdentifier(type)
            ? unsafeDowncast(self, to: ValueForm<Content>.self) : nil
    }

    /// Returns a stored value as a value of the type. Returns `nil` if the type does not have it.
    ///
    /// - Throws: The error of the type's `init(from:)`.
    func any(_ stored: Value) throws -> Any? { nil }

    /// Returns the value to store. Returns `.null` if the value is not of the type.
    ///
    /// - Throws: The error of the type's `encode(to:)`.
    func stored(_ value: Any) throws -> Value { .null }

    /// Whether values are stored without conversion.
    var isPlain: Bool { false }

    /// Whether values are stored as JSON.
    var isJSON: Bool { false }

    /// Whether a value is of the type.
    func accepts(_ value: Any) -> Bool { false }

    /// Returns the form of a type.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute. `nil` means that the raw value of an enum stands for it, as in a predicate.
    ///   - allowsElements: Whether structures and enums may have elements of their own. Otherwise, they are stored as JSON.
    static func form(
        of type: any Codable.Type, named name: String?, allowsElements: Bool = true
    ) -> AttributeForm {
        func form<Content: Codable>(_ type: Content.Type) -> AttributeForm {
            ValueForm(of: type, named: name, allowsElements: allowsElements)
        }
        return form(type)
    }

    /// Returns the elements along the steps of a key path that starts at a value. Returns `nil` if a step does not lead to
    /// an element.
    func names(of steps: some Sequence<UInt>) -> [String]? {
        var names: [String] = []
        var form = self
        for step in steps {
            guard let element = form.composite?.element(at: Int(bitPattern: step)) else {
                return nil
            }
            names.append(element.name)
            form = element.form
        }
        // The raw value stands for an enum.
        return names + [form.composite?.rawName].compactMap(\.self)
    }

    /// Returns the names of the elements along a key path that starts at a value of a structure or an enum. Returns no
    /// names for a raw value, and `nil` if the path does not lead to something that is stored.
    static func names(of path: AnyKeyPath) -> [String]? {
        let root = Swift.type(of: path).rootType
        if let raw = root as? any RawRepresentable.Type, CodableShape.isRawValue(path, of: raw) {
            return []
        }
        guard let root = root as? any Codable.Type, let steps = PropertySteps(path) else {
            return nil
        }
        return form(of: root, named: nil).names(of: steps.identifiers)
    }

    /// Returns the value that an attribute of the value's own type would store. Returns `nil` if the value is not
    /// `Codable`, or cannot be encoded.
    static func constant(_ value: Any) -> Value? {
        func stored<Constant: Codable>(_ value: Constant) -> Value? {
            try? ValueForm(of: Constant.self, named: nil).write(value)
        }
        return (value as? any Codable).flatMap { stored($0) }
    }
}

/// The form of a Swift type: numbers, text, dates and bytes as themselves, structures and enums in elements of their own,
/// and everything else as JSON with sorted keys.
final class ValueForm<Content: Codable>: AttributeForm {
    /// Returns `nil` if the type does not have a stored value.
    let read: (Value) throws -> Content?
    let write: (Content) throws -> Value
    private let storesJSON: Bool

    override var isJSON: Bool { storesJSON }

    override var isPlain: Bool {
        Content.self is any _PlainValue.Type
            || (Content.self as? any OptionalContent.Type)?.isPlain == true
    }

    override func accepts(_ value: Any) -> Bool { value is Content }

    private init(
        _ type: AttributeType, isOptional: Bool = false, storesJSON: Bool = false,
        composite: CompositeForm? = nil, read: @escaping (Value) throws -> Content?,
        write: @escaping (Content) throws -> Value
    ) {
        (self.read, self.write, self.storesJSON) = (read, write, storesJSON)
        super.init(type, isOptional: isOptional, composite, of: Content.self)
    }

    /// Chooses the form of a type. See ``AttributeForm/form(of:named:allowsElements:)``.
    convenience init(of _: Content.Type, named name: String?, allowsElements: Bool = true) {
        if let optional = Content.self as? any OptionalContent.Type {
            self.init(optional: optional.wrappedForm(named: name, allowsElements))
        } else if let scalar = Content.self as? any AttributeValue.Type,
            !(Content.self is any CodableAttribute.Type)
        {
            self.init(scalar: scalar)
        } else if let raw = Content.self as? any RawRepresentable.Type, let form = Self.form(raw) {
            let isEnum = CodableShape.caseNames(of: Content.self) != nil
            if let name, isEnum, allowsElements {
                self.init(rawValue: form, named: name)
            } else {
                self.init(form.raw.type, read: form.read, write: form.write)
            }
        } else if let integer = Content.self as? any FixedWidthInteger.Type {
            self.init(integer: integer)
        } else if let real = Content.self as? any BinaryFloatingPoint.Type {
            self.init(real: real)
        } else if allowsElements, let composite = CompositeForm(of: Content.self) {
            self.init(
                .composite, composite: composite,
                read: { try composite.read($0, as: Content.self) }, write: composite.write)
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

    private convenience init(optional wrapped: AttributeForm) {
        self.init(wrapped.type, isOptional: true, composite: wrapped.composite) { stored in
            if stored.isNull { return Optional<Any>.none as? Content }
            guard let value = try wrapped.any(stored) else { return nil }
            return value as? Content
        } write: { content in
            guard let value = (content as? any OptionalContent)?.wrappedContent else {
                return .null
            }
            let stored = try wrapped.stored(value)
            // Stores cannot tell elements that are all nil from no value.
            return stored == .composite([:]) ? .null : stored
        }
    }

    /// An enum with raw values, as the only element of the attribute.
    private convenience init(rawValue form: RawForm, named name: String) {
        self.init(
            .composite,
            composite: CompositeForm(Content.self, rawValue: form.raw, named: name)
        ) { stored in
            guard case .composite(let elements) = stored else { return nil }
            return try form.read(elements[name] ?? .null)
        } write: { content in
            .composite([name: try form.write(content)])
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

    /// Floating-point numbers such as `CGFloat`, as numbers of type Double.
    private convenience init(real: any BinaryFloatingPoint.Type) {
        self.init(.double) { stored in
            guard case .double(let number) = stored else { return nil }
            return real.init(number) as? Content
        } write: { content in
            .double((content as? any BinaryFloatingPoint).map { Double($0) } ?? 0)
        }
    }

    private typealias RawForm = (
        raw: AttributeForm, read: (Value) throws -> Content?, write: (Content) throws -> Value
    )

    /// Returns the form of an enum or a structure with a raw value. Returns `nil` if the raw value is stored as JSON.
    private static func form<Raw: RawRepresentable>(_ raw: Raw.Type) -> RawForm? {
        guard let codable = Raw.RawValue.self as? any Codable.Type else { return nil }
        let form = AttributeForm.form(of: codable, named: nil, allowsElements: false)
        if form.isJSON { return nil }
        return (
            form,
            { try (form.any($0) as? Raw.RawValue).flatMap(Raw.init(rawValue:)) as? Content },
            { content in try (content as? Raw).map { try form.stored($0.rawValue) } ?? .null }
        )
    }
}

/// An optional whose wrapped type is `Codable`.
private protocol OptionalContent {
    static var isPlain: Bool { get }
    static func wrappedForm(named name: String?, _ allowsElements: Bool) -> AttributeForm
    var wrappedContent: Any? { get }
}

extension Optional: OptionalContent where Wrapped: Codable {
    fileprivate static var isPlain: Bool { Wrapped.self is any _PlainValue.Type }

    fileprivate static func wrappedForm(
        named name: String?, _ allowsElements: Bool
    ) -> AttributeForm { ValueForm(of: Wrapped.self, named: name, allowsElements: allowsElements) }

    fileprivate var wrappedContent: Any? { self }
}

/// Values as JSON in an attribute of type Binary Data. Equal values have equal bytes, except for
/// sets, which have no order.
enum JSONForm {
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
