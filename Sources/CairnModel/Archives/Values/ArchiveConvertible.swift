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
