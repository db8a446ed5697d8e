import Foundation

/// A Swift type whose values the built-in transformers read and write.
///
/// Strings, numbers, Booleans, dates, data, UUIDs, URLs and decimals conform, as do arrays, sets and
/// dictionaries of them. ``ArchivableValue`` conforms too, and accepts every archived value. Your own type
/// can conform by converting itself to and from one of these types:
///
/// ```swift
/// struct Color: ArchiveConvertible {
///     var hex: UInt32
///     init(hex: UInt32) { self.hex = hex }
///     init?(archivable value: ArchivableValue) {
///         guard let hex = UInt32(archivable: value) else { return nil }
///         self.init(hex: hex)
///     }
///     var archivable: ArchivableValue { hex.archivable }
/// }
/// ```
public protocol ArchiveConvertible: Equatable {
    /// Creates a value from an archived one. Returns `nil` if the type does not match or the value is out of
    /// range.
    init?(archivable value: ArchivableValue)

    /// The value in the form that is archived.
    var archivable: ArchivableValue { get }
}

extension ArchivableValue: ArchiveConvertible {
    /// Creates a copy of the value. Never returns `nil`.
    public init?(archivable value: ArchivableValue) { self = value }
    /// The value itself.
    public var archivable: ArchivableValue { self }
}

extension String: ArchiveConvertible {
    /// Creates a string from an archived string.
    public init?(archivable value: ArchivableValue) {
        guard case .string(let text) = value else { return nil }
        self = text
    }
    /// The value as a string.
    public var archivable: ArchivableValue { .string(self) }
}

extension Bool: ArchiveConvertible {
    /// Creates a Boolean from an archived Boolean.
    public init?(archivable value: ArchivableValue) {
        guard case .boolean(let value) = value else { return nil }
        self = value
    }
    /// The value as a Boolean.
    public var archivable: ArchivableValue { .boolean(self) }
}

extension Date: ArchiveConvertible {
    /// Creates a date from an archived date.
    public init?(archivable value: ArchivableValue) {
        guard case .date(let date) = value else { return nil }
        self = date
    }
    /// The value as a date.
    public var archivable: ArchivableValue { .date(self) }
}

extension Data: ArchiveConvertible {
    /// Creates data from archived data.
    public init?(archivable value: ArchivableValue) {
        guard case .data(let data) = value else { return nil }
        self = data
    }
    /// The value as data.
    public var archivable: ArchivableValue { .data(self) }
}

extension UUID: ArchiveConvertible {
    /// Creates a UUID from an archived UUID.
    public init?(archivable value: ArchivableValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self = uuid
    }
    /// The value as a UUID.
    public var archivable: ArchivableValue { .uuid(self) }
}

extension URL: ArchiveConvertible {
    /// Creates a URL from an archived URL.
    public init?(archivable value: ArchivableValue) {
        guard case .url(let url) = value else { return nil }
        self = url
    }
    /// The value as a URL. A relative URL is archived as its absolute URL.
    public var archivable: ArchivableValue { .url(self) }
}

extension ArchivableValue {
    /// Creates an ``integer(_:)``, or an ``unsigned(_:)`` if the number is greater than `Int64.max`. Returns
    /// `nil` if it is greater than `UInt64.max` or less than `Int64.min`.
    package init?(exactly number: some BinaryInteger) {
        if let value = Int64(exactly: number) {
            self = .integer(value)
        } else if let value = UInt64(exactly: number) {
            self = .unsigned(value)
        } else {
            return nil
        }
    }

    /// Returns the integer converted to another width. Returns `nil` for an integer out of its range, and
    /// for other values.
    fileprivate func integer<T: FixedWidthInteger>(as type: T.Type) -> T? {
        switch self {
        case .integer(let value): T(exactly: value)
        case .unsigned(let value): T(exactly: value)
        default: nil
        }
    }

    /// The number as a floating-point number. `nil` for values that are not numbers, including Booleans.
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }
}

extension ArchiveConvertible where Self: FixedWidthInteger {
    /// Creates an integer from an archived one. Returns `nil` if the integer is out of range.
    public init?(archivable value: ArchivableValue) {
        guard let number = value.integer(as: Self.self) else { return nil }
        self = number
    }
    /// The value as an integer. Integers of more than 64 bits do not fit in archives and become null.
    public var archivable: ArchivableValue { ArchivableValue(exactly: self) ?? .null }
}

extension Int: ArchiveConvertible {}
extension Int8: ArchiveConvertible {}
extension Int16: ArchiveConvertible {}
extension Int32: ArchiveConvertible {}
extension Int64: ArchiveConvertible {}
extension UInt: ArchiveConvertible {}
extension UInt8: ArchiveConvertible {}
extension UInt16: ArchiveConvertible {}
extension UInt32: ArchiveConvertible {}
extension UInt64: ArchiveConvertible {}

extension Double: ArchiveConvertible {
    /// Creates a number from any archived number.
    public init?(archivable value: ArchivableValue) {
        guard let number = value.number else { return nil }
        self = number
    }
    /// The value as a floating-point number.
    public var archivable: ArchivableValue { .real(self) }
}

extension Float: ArchiveConvertible {
    /// Creates a number from any archived number, which is rounded if necessary.
    public init?(archivable value: ArchivableValue) {
        guard let number = value.number else { return nil }
        self = Float(number)
    }
    /// The value as a floating-point number.
    public var archivable: ArchivableValue { .real(Double(self)) }
}

extension Decimal: ArchiveConvertible {
    /// Creates a decimal from an archived decimal or integer.
    public init?(archivable value: ArchivableValue) {
        switch value {
        case .decimal(let value): self = value
        case .integer(let value): self = Decimal(value)
        case .unsigned(let value): self = Decimal(value)
        default: return nil
        }
    }
    /// The value as a decimal.
    public var archivable: ArchivableValue { .decimal(self) }
}

extension Array: ArchiveConvertible where Element: ArchiveConvertible {
    /// Creates an array from an archived array or ordered set. Returns `nil` if a member cannot be converted.
    public init?(archivable value: ArchivableValue) {
        switch value {
        case .array(let members), .orderedSet(let members):
            let converted = members.compactMap(Element.init(archivable:))
            guard converted.count == members.count else { return nil }
            self = converted
        default: return nil
        }
    }
    /// The value as an array.
    public var archivable: ArchivableValue { .array(map(\.archivable)) }
}

extension Set: ArchiveConvertible where Element: ArchiveConvertible {
    /// Creates a set from an archived set. Returns `nil` if a member cannot be converted, or if two members
    /// become equal.
    public init?(archivable value: ArchivableValue) {
        guard case .set(let members) = value else { return nil }
        let converted = Set(members.compactMap(Element.init(archivable:)))
        guard converted.count == members.count else { return nil }
        self = converted
    }
    /// The value as a set.
    public var archivable: ArchivableValue { .set(Set<ArchivableValue>(map(\.archivable))) }
}

extension Dictionary: ArchiveConvertible where Key: ArchiveConvertible, Value: ArchiveConvertible {
    /// Creates a dictionary from an archived one. Returns `nil` if a key or a value cannot be converted, or
    /// if two keys become equal.
    public init?(archivable value: ArchivableValue) {
        guard case .dictionary(let entries) = value else { return nil }
        var converted: [Key: Value] = [:]
        for (key, value) in entries {
            guard let key = Key(archivable: key), let value = Value(archivable: value),
                converted.updateValue(value, forKey: key) == nil
            else { return nil }
        }
        self = converted
    }
    /// The value as a dictionary.
    public var archivable: ArchivableValue {
        .dictionary(
            Dictionary<ArchivableValue, ArchivableValue>(
                map { ($0.key.archivable, $0.value.archivable) },
                uniquingKeysWith: { first, _ in first }))
    }
}
