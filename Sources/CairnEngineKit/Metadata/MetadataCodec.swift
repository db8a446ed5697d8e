import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Encodes metadata values as bytes: a tag, followed by the value in little-endian form.
/// docs/formats/lmdb.md and docs/formats/binary.md list the tags.
package enum MetadataCodec {
    fileprivate enum Tag: UInt8 {
        case string = 1
        case integer, real, boolean, date, data, array, dictionary
    }

    /// The maximum depth of nested values. Deeper nesting is regarded as damage.
    fileprivate static let deepest = 64

    package static func encode(_ value: MetadataValue) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    /// Returns `nil` if the bytes are not exactly one value.
    package static func decode(_ bytes: UnsafeRawBufferPointer) -> MetadataValue? {
        var reader = ByteReader(bytes)
        guard let value = reader.metadata(depth: 0), reader.rest == 0 else { return nil }
        return value
    }

    private static func append(_ value: MetadataValue, to bytes: inout [UInt8]) {
        func tag(_ tag: Tag) { bytes.append(tag.rawValue) }
        switch value {
        case .string(let text):
            tag(.string)
            append(Array(text.utf8), to: &bytes)
        case .integer(let number):
            tag(.integer)
            append(number, to: &bytes)
        case .real(let number):
            tag(.real)
            append(number.bitPattern, to: &bytes)
        case .boolean(let flag):
            tag(.boolean)
            bytes.append(flag ? 1 : 0)
        case .date(let date):
            tag(.date)
            append(date.timeIntervalSinceReferenceDate.bitPattern, to: &bytes)
        case .data(let data):
            tag(.data)
            append(Array(data), to: &bytes)
        case .array(let members):
            tag(.array)
            append(UInt64(members.count), to: &bytes)
            for member in members { append(member, to: &bytes) }
        case .dictionary(let entries):
            tag(.dictionary)
            append(UInt64(entries.count), to: &bytes)
            // Sort the entries by name, so that equal metadata has equal bytes.
            for (name, member) in entries.sorted(by: {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }) {
                append(Array(name.utf8), to: &bytes)
                append(member, to: &bytes)
            }
        }
    }

    private static func append<T: FixedWidthInteger>(_ value: T, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func append(_ block: [UInt8], to bytes: inout [UInt8]) {
        append(UInt64(block.count), to: &bytes)
        bytes += block
    }
}

extension ByteReader {
    fileprivate mutating func metadata(depth: Int) -> MetadataValue? {
        guard depth < MetadataCodec.deepest,
            let tag = integer(UInt8.self).flatMap(MetadataCodec.Tag.init)
        else { return nil }
        switch tag {
        case .string: return text().map(MetadataValue.string)
        case .integer: return integer(Int64.self).map(MetadataValue.integer)
        case .real: return double().map(MetadataValue.real)
        case .boolean: return integer(UInt8.self).map { .boolean($0 != 0) }
        case .date: return double().map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .data: return block(behind: UInt64.self).map { .data(Data($0)) }
        case .array: return array(depth: depth)
        case .dictionary: return dictionary(depth: depth)
        }
    }

    private mutating func array(depth: Int) -> MetadataValue? {
        guard let count = integer(UInt64.self) else { return nil }
        var members: [MetadataValue] = []
        while members.count < count {
            guard let member = metadata(depth: depth + 1) else { return nil }
            members.append(member)
        }
        return .array(members)
    }

    private mutating func dictionary(depth: Int) -> MetadataValue? {
        guard let count = integer(UInt64.self) else { return nil }
        var entries: [String: MetadataValue] = [:]
        while entries.count < count {
            guard let name = text(), let member = metadata(depth: depth + 1),
                entries.updateValue(member, forKey: name) == nil
            else { return nil }
        }
        return .dictionary(entries)
    }

    private mutating func text() -> String? {
        block(behind: UInt64.self).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

extension MetadataValue {
    /// The value as bytes, for engines that store metadata or their own records in files. The bytes
    /// are a tag, followed by the value in little-endian form. docs/formats/binary.md lists the
    /// tags. Equal values have equal bytes.
    package var bytes: [UInt8] { MetadataCodec.encode(self) }

    /// Decodes a value. Returns `nil` if the bytes are not exactly one value.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard let value = MetadataCodec.decode(bytes) else { return nil }
        self = value
    }
}

extension StoreMetadata {
    /// Creates the metadata of a store that is being created, with the entities of the model.
    ///
    /// - Parameters:
    ///   - type: the type that the engine is registered with.
    ///   - model: the model that the store is created with.
    ///   - identifier: the identifier that the request names. If `nil`, the store gets a new
    ///     identifier.
    public init(
        creating type: StoreType, model: ManagedObjectModel, identifier: String? = nil
    ) {
        self.init(
            identifier: identifier ?? UUID().uuidString, type: type,
            entityVersionHashes: model.entityVersionHashes,
            modelVersionIdentifiers: model.description.versionIdentifiers.sorted())
    }
}
