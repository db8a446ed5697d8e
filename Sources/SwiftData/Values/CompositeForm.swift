internal import CairnModel
internal import Foundation

/// How the values of a structure or an enum are stored: in elements of their own, as in the stores of Apple's systems.
struct CompositeForm {
    /// What is stored in an element.
    enum Element {
        /// A stored property of a structure, the only value of a case, or the raw value of an enum.
        case value(AttributeForm)
        /// Whether an enum has the case, which has no values.
        case flag
        /// The values of a case, as JSON.
        case json
    }

    let typeName: String
    /// Whether the elements are the cases of an enum.
    let hasCases: Bool
    /// The name of the element that holds a raw value. `nil` if the type is no enum with raw values.
    let rawName: String?
    private let elements: [(name: String, element: Element)]
    private let indices: [String: Int]
    private let offsets: [String: Int]

    private init(
        _ type: Any.Type, _ elements: [(name: String, element: Element)], hasCases: Bool = false,
        rawName: String? = nil, offsets: [String: Int] = [:]
    ) {
        typeName = "\(type)"
        self.elements = elements
        self.hasCases = hasCases
        self.rawName = rawName
        self.offsets = offsets
        indices = Dictionary(
            elements.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Creates the form of an enum with raw values.
    init(_ type: Any.Type, rawValue form: AttributeForm, named name: String) {
        self.init(type, [(name, .value(form))], rawName: name)
    }

    /// Creates the form of a structure or of an enum with associated values. Returns `nil` if the type encodes itself in
    /// another way than Swift's compiler writes.
    init?<Content: Codable>(of type: Content.Type) {
        switch CodableShape(of: type) {
        case .structure(let fields)?:
            self.init(
                type,
                fields.map { ($0.name, .value(AttributeForm.form(of: $0.type, named: $0.name))) },
                offsets: Dictionary(
                    fields.map { ($0.name, $0.offset) }, uniquingKeysWith: { first, _ in first }))
        case .cases(let cases)?:
            self.init(
                type,
                cases.map { name, payload in
                    switch payload {
                    case .none: return (name, .flag)
                    case .several: return (name, .json)
                    case .one(let type):
                        let form = AttributeForm.form(of: type, named: nil, allowsElements: false)
                        return (name, form.isJSON ? .json : .value(form))
                    }
                }, hasCases: true)
        case nil: return nil
        }
    }

    subscript(name: String) -> Element? { indices[name].map { elements[$0].element } }

    /// Returns the element of the stored property at an offset, or `nil` if there is no such property.
    func element(at offset: Int) -> (name: String, form: AttributeForm)? {
        guard let name = offsets.first(where: { $0.value == offset })?.key,
            case .value(let form)? = self[name]
        else { return nil }
        return (name, form)
    }

    /// Returns the composite of an attribute, and those of its elements.
    func descriptions(named name: String) -> [CompositeDescription] {
        var inner: [CompositeDescription] = []
        let attributes = elements.map { element -> AttributeDescription in
            // Elements may be nil on Apple's systems.
            guard case .value(let form) = element.element else {
                let type: AttributeType =
                    if case .flag = element.element { .boolean } else { .binary }
                return AttributeDescription(element.name, type, isOptional: true)
            }
            var attribute = AttributeDescription(element.name, form.type, isOptional: true)
            if let composite = form.composite {
                attribute.compositeName = "\(name).\(element.name)"
                inner += composite.descriptions(named: "\(name).\(element.name)")
            }
            return attribute
        }
        return [CompositeDescription(name, attributes)] + inner
    }

    // MARK: Values

    /// Returns the stored form of a value of the type.
    ///
    /// - Throws: The error of the type's `encode(to:)`.
    func write(_ content: some Encodable) throws -> Value {
        .composite(try ElementEncoder(self).elements(of: content))
    }

    /// Returns a stored value. Returns `nil` if all elements are nil, and the type cannot have such a value.
    ///
    /// - Throws: The error of the type's `init(from:)`.
    func read<Content: Decodable>(_ stored: Value, as type: Content.Type) throws -> Content? {
        switch stored {
        case .composite(let values) where !values.isEmpty:
            try Content(from: ElementDecoder(source: Source(form: self, values: values)))
        case .composite, .null:
            try? Content(from: ElementDecoder(source: Source(form: self, values: [:])))
        default: nil
        }
    }

    /// The elements of a stored value.
    private struct Source: KeyedSource {
        let form: CompositeForm
        let values: [String: Value]
        var names: [String] { Array(values.keys) }

        func decode<Content: Decodable>(_ type: Content.Type, _ name: String) throws -> Content {
            if case .value(let form)? = form[name],
                let content = try form.any(values[name] ?? .null) as? Content
            {
                return content
            }
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: [],
                    debugDescription: "“\(name)” of \(form.typeName) has no value of \(type)."))
        }

        func nested<Key: CodingKey>(
            _ keys: Key.Type, _ name: String
        ) throws -> KeyedDecodingContainer<Key> {
            switch form[name] {
            case .json?:
                return try (JSONForm.read(values[name] ?? .null) as CapturedDecoder?)?.decoder
                    .container(keyedBy: keys)
                    ?? { throw ElementDecoder.noKeys }()
            case .value?, .flag?, nil:
                return KeyedDecodingContainer(
                    KeyedElements(source: Payload(source: self, name: name)))
            }
        }
    }

    /// The only value of a case, with any label.
    private struct Payload: KeyedSource {
        let source: Source
        let name: String
        var names: [String] { [] }

        func decode<Content: Decodable>(_ type: Content.Type, _ label: String) throws -> Content {
            try source.decode(type, name)
        }

        func nested<Key: CodingKey>(
            _ keys: Key.Type, _ label: String
        ) throws -> KeyedDecodingContainer<Key> { throw ElementDecoder.noKeys }
    }
}

/// The decoder of a value, for another type to decode from it.
private struct CapturedDecoder: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) throws { self.decoder = decoder }
}
