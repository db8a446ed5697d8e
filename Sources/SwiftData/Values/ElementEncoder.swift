internal import CairnModel
internal import Foundation

/// An encoder of types that consist of named elements.
final class ElementEncoder: Encoder {
    private let form: CompositeForm
    private var values: [String: Value] = [:]
    /// The values of a case that is stored as JSON, by their labels.
    private var encoded: [String: [String: EncodableValue]] = [:]
    private var failure: EncodingError?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ form: CompositeForm) { self.form = form }

    /// Returns the elements of a value.
    ///
    /// - Throws: The error of the value's type; `EncodingError` if the value has something that no element holds.
    func elements(of content: some Encodable) throws -> [String: Value] {
        try content.encode(to: self)
        if let failure { throw failure }
        for (name, values) in encoded { self.values[name] = try JSONForm.write(values) }
        return values.filter { !$0.value.isNull }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedElementWriter(encoder: self, caseName: nil))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { refuse("it has no keys") }

    func singleValueContainer() -> any SingleValueEncodingContainer { refuse("it has no keys") }

    /// Notes why the value cannot be stored.
    @discardableResult
    func refuse(_ reason: String) -> NoElements {
        failure =
            failure
            ?? EncodingError.invalidValue(
                form.typeName,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "A value of \(form.typeName) cannot be stored: \(reason)."
                        + " Let the compiler write its encode(to:), or store the value as Data."))
        return NoElements(encoder: self)
    }

    // MARK: Elements

    func set(_ value: some Encodable, _ name: String, inCase caseName: String?) throws {
        guard let element = form[caseName ?? name] else {
            refuse("it encodes “\(name)”, but has no stored property of that name")
            return
        }
        switch element {
        case .value(let form) where form.accepts(value):
            values[caseName ?? name] = try form.stored(value)
        case .json where caseName != nil:
            encoded[caseName ?? name, default: [:]][name] = EncodableValue(value)
        default: refuse("it encodes “\(name)” as a value of \(type(of: value))")
        }
    }

    /// Begins the values of a case.
    func begin(case name: String) {
        switch form[name] {
        case .flag?: values[name] = .boolean(true)
        case .json?: encoded[name] = [:]
        case .value? where form.hasCases: break
        default: refuse("it encodes “\(name)” as something with keys of its own")
        }
    }
}

/// A value of any type.
private struct EncodableValue: Encodable {
    private let value: any Encodable

    init(_ value: any Encodable) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        // Encoders know the forms of dates and other types only in a container.
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

private struct KeyedElementWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ElementEncoder
    /// The case whose values are encoded. `nil` for a structure, and for an enum itself.
    let caseName: String?
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws {}

    mutating func encode<Content: Encodable>(_ value: Content, forKey key: Key) throws {
        try encoder.set(value, key.stringValue, inCase: caseName)
    }

    mutating func nestedContainer<Other: CodingKey>(
        keyedBy keyType: Other.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Other> {
        if caseName == nil {
            encoder.begin(case: key.stringValue)
        } else {
            encoder.refuse("its cases have nested containers")
        }
        return KeyedEncodingContainer(
            KeyedElementWriter<Other>(encoder: encoder, caseName: key.stringValue))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.refuse("it encodes “\(key.stringValue)” as a list")
    }

    mutating func superEncoder() -> any Encoder {
        encoder.refuse("it has a superclass")
        return encoder
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// The container of a value that cannot be stored, which has been noted.
struct NoElements: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    fileprivate let encoder: ElementEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    mutating func encodeNil() throws {}

    mutating func encode<Content: Encodable>(_ value: Content) throws {}

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy keyType: Key.Type
    ) -> KeyedEncodingContainer<Key> { encoder.container(keyedBy: keyType) }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    mutating func superEncoder() -> any Encoder { encoder }
}
