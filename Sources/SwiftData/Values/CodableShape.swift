@_spi(Reflection) internal import Swift

/// What a `Codable` structure or enum consists of. Exists for types whose values are encoded as Swift's compiler encodes
/// them: one key for each stored property, or for each case.
enum CodableShape {
    case structure([Field])
    case cases([(name: String, payload: Payload)])

    struct Field {
        let name: String
        let type: any Codable.Type
        let offset: Int
    }

    /// The values of a case.
    enum Payload {
        case none
        case one(any Codable.Type)
        /// Several values, or one that may be nil.
        case several
    }

    init?<Content: Codable>(of type: Content.Type) {
        guard let keys = ShapeProbe().keys(of: type) else { return nil }
        func isKey(_ name: String) -> Bool { keys.type.init(stringValue: name) != nil }
        if let names = Self.caseNames(of: type) {
            guard names.count == keys.count, names.allSatisfy(isKey) else { return nil }
            self = .cases(names.map { ($0, ShapeProbe(case: $0).payload(of: type)) })
        } else {
            var fields: [Field] = []
            _ = _forEachField(of: type, options: []) { name, offset, type, _ in
                let name = String(cString: name)
                if isKey(name), let type = type as? any Codable.Type {
                    fields.append(Field(name: name, type: type, offset: offset))
                }
                return true
            }
            guard !fields.isEmpty, fields.count == keys.count else { return nil }
            self = .structure(fields)
        }
    }

    /// Returns the names of an enum's cases, those with values first. Returns `nil` if the type is not an enum.
    static func caseNames(of type: Any.Type) -> [String]? {
        // The layout is part of Swift's stable ABI: metadata, its context descriptor, and the descriptor of its fields.
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard metadata.load(as: Int.self) == 0x201 else { return nil }
        let descriptor = metadata.load(fromByteOffset: 8, as: UnsafeRawPointer.self)
        func follow(_ reference: UnsafeRawPointer) -> UnsafeRawPointer? {
            let distance = Int(reference.load(as: Int32.self))
            return distance == 0 ? nil : reference + distance
        }
        guard let fields = follow(descriptor + 16) else { return nil }
        let byteCount = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
        let count = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
        return (0..<count).compactMap { index in
            follow(fields + 16 + index * byteCount + 8).map {
                String(cString: $0.assumingMemoryBound(to: CChar.self))
            }
        }
    }

    /// Returns whether a key path leads from each case of an enum to the case's raw value.
    static func isRawValue<Raw: RawRepresentable>(_ path: AnyKeyPath, of type: Raw.Type) -> Bool {
        guard let path = path as? KeyPath<Raw, Raw.RawValue>, MemoryLayout<Raw>.size == 1,
            let count = caseNames(of: type)?.count
        else { return false }
        return (0..<count).allSatisfy { index in
            // A case without values is the byte of its index.
            let value = unsafeBitCast(UInt8(index), to: type)
            return "\(value[keyPath: path])" == "\(value.rawValue)"
        }
    }
}

/// A decoder that finds out what a type decodes. It never returns a value.
private final class ShapeProbe: KeyedSource {
    private struct Stop: Error {}

    let names: [String]
    private var keys: (any CodingKey.Type)?
    private var isOptional = false
    private var valueType: (any Codable.Type)?

    init(case name: String? = nil) { names = [name].compactMap(\.self) }

    /// Returns the type of a type's keys, if it is an enum, and the number of its cases.
    func keys<Content: Codable>(
        of type: Content.Type
    ) -> (type: any CodingKey.Type, count: Int)? {
        _ = try? Content(from: ElementDecoder(source: self))
        guard let keys, let names = CodableShape.caseNames(of: keys) else { return nil }
        return (keys, names.count)
    }

    /// Returns what a case of an enum decodes.
    func payload<Content: Codable>(of type: Content.Type) -> CodableShape.Payload {
        switch keys(of: type)?.count {
        case 0?: .none
        case 1?: valueType.map { isOptional ? .several : .one($0) } ?? .several
        default: .several
        }
    }

    func begin(_ keys: any CodingKey.Type) throws {
        self.keys = keys
        if names.isEmpty { throw Stop() }
    }

    func contains(_ name: String) -> Bool {
        isOptional = true
        return true
    }

    func decode<Content: Decodable>(_ type: Content.Type, _ name: String) throws -> Content {
        valueType = type as? any Codable.Type
        throw Stop()
    }

    func nested<Key: CodingKey>(
        _ keys: Key.Type, _ name: String
    ) throws -> KeyedDecodingContainer<Key> {
        self.keys = keys
        return KeyedDecodingContainer(KeyedElements(source: self))
    }
}
