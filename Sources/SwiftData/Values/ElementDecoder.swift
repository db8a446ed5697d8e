/// A decoder of types that consist of named elements.
struct ElementDecoder: Decoder {
    let source: any KeyedSource
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy keys: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try source.begin(keys)
        return KeyedDecodingContainer(KeyedElements(source: source))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.noKeys }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.noKeys }

    static var noKeys: DecodingError {
        .dataCorrupted(
            DecodingError.Context(codingPath: [], debugDescription: "Its elements have names."))
    }
}

/// What a keyed container decodes.
protocol KeyedSource {
    /// The names of the keys that have a value.
    var names: [String] { get }

    /// Called before a value is decoded, with the type of the keys.
    func begin(_ keys: any CodingKey.Type) throws
    func contains(_ name: String) -> Bool
    func decode<Content: Decodable>(_ type: Content.Type, _ name: String) throws -> Content
    func nested<Key: CodingKey>(_ keys: Key.Type, _ name: String) throws
        -> KeyedDecodingContainer<Key>
}

extension KeyedSource {
    func begin(_ keys: any CodingKey.Type) throws {}
    func contains(_ name: String) -> Bool { names.contains(name) }
}

/// A container of named elements.
struct KeyedElements<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let source: any KeyedSource
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { source.names.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { source.contains(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

    func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
        try source.decode(type, key.stringValue)
    }

    func nestedContainer<Other: CodingKey>(
        keyedBy keys: Other.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Other> { try source.nested(keys, key.stringValue) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw ElementDecoder.noKeys
    }

    func superDecoder() throws -> any Decoder { throw ElementDecoder.noKeys }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw ElementDecoder.noKeys }
}
