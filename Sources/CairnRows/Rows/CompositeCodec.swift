import CairnModel
import Foundation

/// Encodes composite values as bytes.
///
/// The bytes are a u32 count, followed by the elements, sorted by the UTF-8 bytes of their names.
/// Each element is a u32 length, the name, a tag byte and the value. Text and binary values begin
/// with a u32 length. All numbers are little-endian.
package enum CompositeCodec {
    fileprivate enum Tag: UInt8 {
        case boolean = 1
        case integer, double, float, decimal, string, date, binary, uuid, uri, transformable
        case composite
    }

    /// The maximum depth of composites within composites. No realistic model nests them deeper.
    fileprivate static let deepest = 32

    /// - Precondition: ``canEncode(_:depth:)`` returns `true`.
    package static func encode(_ value: [String: Value]) -> Data {
        var data = Data()
        append(value, to: &data)
        return data
    }

    /// Returns whether ``encode(_:)`` preserves the whole value. It must contain no object IDs, and
    /// must not be nested too deeply.
    static func canEncode(_ value: [String: Value], depth: Int = 0) -> Bool {
        guard depth < deepest else { return false }
        return value.values.allSatisfy { element in
            switch element {
            case .objectID: false
            case .composite(let inner): canEncode(inner, depth: depth + 1)
            default: true
            }
        }
    }

    /// Decodes a value. Returns `nil` if the bytes are damaged.
    package static func decode(_ data: Data) -> [String: Value]? {
        data.withUnsafeBytes { decode($0) }
    }

    /// Decodes a value. Returns `nil` if the bytes are damaged.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> [String: Value]? {
        var reader = ByteReader(bytes)
        return reader.composite(depth: 0)
    }

    private static func append(_ value: [String: Value], to data: inout Data) {
        let kept = value.filter { !$0.value.isNull }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        append(UInt32(kept.count), to: &data)
        for (name, element) in kept {
            append(Data(name.utf8), to: &data)
            append(element, to: &data)
        }
    }

    private static func append(_ value: Value, to data: inout Data) {
        func tag(_ tag: Tag) { data.append(tag.rawValue) }
        switch value {
        case .null, .objectID: break
        case .boolean(let value):
            tag(.boolean)
            data.append(value ? 1 : 0)
        case .integer(let value):
            tag(.integer)
            append(value, to: &data)
        case .double(let value):
            tag(.double)
            append(value.bitPattern, to: &data)
        case .float(let value):
            tag(.float)
            append(value.bitPattern, to: &data)
        case .decimal(let value):
            tag(.decimal)
            var bytes = [UInt8](repeating: 0, count: 18)
            bytes.withUnsafeMutableBytes { buffer in
                if let base = buffer.baseAddress { DecimalCodec.encode(value, to: base) }
            }
            data.append(contentsOf: bytes)
        case .date(let value):
            tag(.date)
            append(value.timeIntervalSinceReferenceDate.bitPattern, to: &data)
        case .uuid(let value):
            tag(.uuid)
            withUnsafeBytes(of: value.uuid) { data.append(contentsOf: $0) }
        case .string(let value):
            tag(.string)
            append(Data(value.utf8), to: &data)
        case .uri(let value):
            tag(.uri)
            append(Data(value.absoluteString.utf8), to: &data)
        case .binary(let value):
            tag(.binary)
            append(value, to: &data)
        case .transformable(let value):
            tag(.transformable)
            append(value, to: &data)
        case .composite(let value):
            tag(.composite)
            append(value, to: &data)
        }
    }

    private static func append<T: FixedWidthInteger>(_ value: T, to data: inout Data) {
        withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }

    private static func append(_ bytes: Data, to data: inout Data) {
        append(UInt32(truncatingIfNeeded: bytes.count), to: &data)
        data.append(bytes)
    }
}

extension ByteReader {
    fileprivate mutating func composite(depth: Int) -> [String: Value]? {
        guard depth < CompositeCodec.deepest, let count = integer(UInt32.self) else { return nil }
        var result: [String: Value] = [:]
        for _ in 0..<count {
            guard let name = text(), let value = element(depth: depth) else { return nil }
            result[name] = value
        }
        return result
    }

    private mutating func element(depth: Int) -> Value? {
        guard let tag = integer(UInt8.self).flatMap(CompositeCodec.Tag.init) else { return nil }
        switch tag {
        case .boolean: return integer(UInt8.self).map { .boolean($0 != 0) }
        case .integer: return integer(Int64.self).map(Value.integer)
        case .double: return double().map(Value.double)
        case .float: return integer(UInt32.self).map { .float(Float(bitPattern: $0)) }
        case .decimal: return take(18)?.baseAddress.map { .decimal(DecimalCodec.decode($0)) }
        case .date: return double().map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .uuid: return take(16).map { .uuid(UUID(uuid: $0.loadUnaligned(as: uuid_t.self))) }
        case .string: return text().map(Value.string)
        case .uri: return text().flatMap { URL(string: $0) }.map(Value.uri)
        case .binary: return block(behind: UInt32.self).map { .binary(Data($0)) }
        case .transformable: return block(behind: UInt32.self).map { .transformable(Data($0)) }
        case .composite: return composite(depth: depth + 1).map(Value.composite)
        }
    }

    private mutating func text() -> String? {
        block(behind: UInt32.self).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Encodes decimals as 18 bytes in canonical form: equal numbers have equal bytes, regardless of
/// trailing zeros.
enum DecimalCodec {
    private static let minus: UInt8 = 1
    private static let notANumber: UInt8 = 2

    static func encode(_ value: Decimal, to bytes: UnsafeMutableRawPointer) {
        var (significand, exponent) = (UInt128(0), 0)
        var sign: UInt8 = value.sign == .minus ? minus : 0
        if value.isNaN {
            sign = notANumber
        } else if let digits = magnitude(value) {
            (significand, exponent) = (digits, value.exponent)
        }
        while significand > 0, significand % 10 == 0, exponent < 127 {
            significand /= 10
            exponent += 1
        }
        if significand == 0 {
            exponent = 0
            sign &= notANumber
        }
        bytes.storeBytes(of: UInt64(truncatingIfNeeded: significand).littleEndian, as: UInt64.self)
        bytes.storeBytes(
            of: UInt64(truncatingIfNeeded: significand >> 64).littleEndian, toByteOffset: 8,
            as: UInt64.self)
        bytes.storeBytes(of: Int8(truncatingIfNeeded: exponent), toByteOffset: 16, as: Int8.self)
        bytes.storeBytes(of: sign, toByteOffset: 17, as: UInt8.self)
    }

    static func decode(_ bytes: UnsafeRawPointer) -> Decimal {
        let low = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let exponent = bytes.load(fromByteOffset: 16, as: Int8.self)
        let sign = bytes.load(fromByteOffset: 17, as: UInt8.self)
        if sign == notANumber { return .nan }
        let significand =
            high == 0
            ? Decimal(low)
            : Decimal(string: (UInt128(high) << 64 | UInt128(low)).description) ?? .nan
        return Decimal(
            sign: sign == minus ? .minus : .plus, exponent: Int(exponent),
            significand: significand)
    }

    /// Returns the digits as an integer. Foundation provides them only as text.
    private static func magnitude(_ value: Decimal) -> UInt128? {
        UInt128(value.significand.magnitude.description)
    }
}
