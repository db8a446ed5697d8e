import CairnModel
import Foundation

/// Converts archived values to values of an attribute's type.
enum ValueDecoder {
    /// Returns the value in the type, or `nil` if it cannot be converted. For `.undefined`, the value keeps
    /// its own type.
    ///
    /// Integers that are too wide for the type are truncated, as `NSNumber` does.
    static func value(
        _ value: ArchivedValue, as type: AttributeType
    ) throws(ModelArchiveError) -> Value? {
        switch type {
        case .boolean: value.boolean.map(Value.boolean)
        case .integer16: value.integer.map { .integer(Int64(Int16(truncatingIfNeeded: $0))) }
        case .integer32: value.integer.map { .integer(Int64(Int32(truncatingIfNeeded: $0))) }
        case .integer64: value.integer.map(Value.integer)
        case .double: try number(value).map { .double($0) }
        case .float: try number(value).map { .float(Float($0)) }
        case .decimal: try decimal(value).map(Value.decimal)
        case .string: value.string.map(Value.string)
        case .date: date(value)
        case .binary: data(value).map(Value.binary)
        case .uuid: try uuid(value).map(Value.uuid)
        case .uri: try uri(value).map(Value.uri)
        case .transformable: try transformable(value)
        case .undefined: try plain(value)
        case .objectID, .composite: nil
        }
    }

    /// Returns the value in its own type, or `nil` for a null and for an object of an unsupported type.
    static func plain(_ value: ArchivedValue) throws(ModelArchiveError) -> Value? {
        switch value {
        case .null: return nil
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .real(let value): return .double(value)
        case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data(let bytes): return .binary(Data(bytes))
        case .string(let text): return .string(text)
        case .object:
            if let decimal = try decimal(value) { return .decimal(decimal) }
            if let uuid = try uuid(value) { return .uuid(uuid) }
            return try uri(value).map(Value.uri)
        }
    }

    private static func number(_ value: ArchivedValue) throws(ModelArchiveError) -> Double? {
        if let real = value.real { return real }
        return try decimal(value).map { NSDecimalNumber(decimal: $0).doubleValue }
    }

    private static func date(_ value: ArchivedValue) -> Value? {
        switch value {
        case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
        default: value.real.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        }
    }

    private static func data(_ value: ArchivedValue) -> Data? {
        if case .data(let bytes) = value { Data(bytes) } else { nil }
    }

    /// Returns a decimal from a number, a string, or an `NSDecimalNumber`.
    private static func decimal(_ value: ArchivedValue) throws(ModelArchiveError) -> Decimal? {
        switch value {
        case .boolean(let value): return value ? 1 : 0
        case .integer(let value): return Decimal(value)
        case .real(let value): return value.isFinite ? Decimal(value) : nil
        case .string(let text): return Decimal(string: text)
        case .object(let object) where object.fields["NS.mantissa"] != nil:
            return try decimal(of: object)
        default: return nil
        }
    }

    private static func decimal(of object: ArchivedObject) throws(ModelArchiveError) -> Decimal? {
        guard case .data(let mantissa) = try object.value("NS.mantissa"),
            let exponent = try object.integer("NS.exponent")
        else { return nil }
        return ArchivedDecimal.decimal(
            mantissa: mantissa, exponent: Int64(exponent),
            wordCount: try object.integer("NS.length") ?? 8,
            isBigEndian: try object.integer("NS.mantissa.bo") == 2,
            isNegative: try object.boolean("NS.negative"))
    }

    private static func uuid(_ value: ArchivedValue) throws(ModelArchiveError) -> UUID? {
        switch value {
        case .string(let text): return UUID(uuidString: text)
        case .object(let object):
            guard case .data(let bytes) = try object.value("NS.uuidbytes"), bytes.count == 16
            else { return nil }
            return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
        default: return nil
        }
    }

    private static func uri(_ value: ArchivedValue) throws(ModelArchiveError) -> URL? {
        switch value {
        case .string(let text): return URL(string: text)
        case .object(let object):
            guard let relative = try object.string("NS.relative") else { return nil }
            guard let base = try object.object("NS.base")?.string("NS.relative") else {
                return URL(string: relative)
            }
            return URL(string: relative, relativeTo: URL(string: base))?.absoluteURL
        default: return nil
        }
    }

    /// Returns data unchanged, and any other value as an archive of its own, since the classes of an app are
    /// unknown.
    private static func transformable(_ value: ArchivedValue) throws(ModelArchiveError) -> Value? {
        switch value {
        case .null: nil
        case .data(let bytes): .transformable(Data(bytes))
        default: .transformable(Data(try KeyedArchiveExtractor.archive(of: value)))
        }
    }
}
