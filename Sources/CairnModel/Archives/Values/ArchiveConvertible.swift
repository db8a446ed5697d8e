import Foundation

/// A Swift type whose values the built-in transformers read and write.
///
/// Texts, numbers, Booleans, dates, data, UUIDs, URLs and decimals conform, arrays, sets and dictionaries
/// of them, and ``ArchivableValue`` itself, which takes all of them. A type of a program's own can
/// conform by what it converts to:
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
    /// Takes what an archive holds. Returns `nil` if the value is of another type or out of range.
    init?(archivable value: ArchivableValue)

    /// The value as an archive holds it.
    var archivable: ArchivableValue { get }
}

extension ArchivableValue: ArchiveConvertible {
    /// Takes the value as it is.
    public init?(archivable value: ArchivableValue) { self = value }
    /// The value itself.
    public var archivable: ArchivableValue { self }
}

extension String: ArchiveConvertible {
    /// Takes a text.
    public init?(archivable value: ArchivableValue) {
        guard case .string(let text) = value else { return nil }
        self = text
    }
    /// The text.
    public var archivable: ArchivableValue { .string(self) }
}

extension Bool: ArchiveConvertible {
    /// Takes a Boolean.
    public init?(archivable value: ArchivableValue) {
        guard case .boolean(let value) = value else { return nil }
        self = value
    }
    /// The Boolean.
    public var archivable: ArchivableValue { .boolean(self) }
}

extension Date: ArchiveConvertible {
    /// Takes a date.
    public init?(archivable value: ArchivableValue) {
        guard case .date(let date) = value else { return nil }
        self = date
    }
    /// The date.
    public var archivable: ArchivableValue { .date(self) }
}

extension Data: ArchiveConvertible {
    /// Takes data.
    public init?(archivable value: ArchivableValue) {
        guard case .data(let data) = value else { return nil }
        self = data
    }
    /// The data.
    public var archivable: ArchivableValue { .data(self) }
}

extension UUID: ArchiveConvertible {
    /// Takes a UUID.
    public init?(archivable value: ArchivableValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self = uuid
    }
    /// The UUID.
    public var archivable: ArchivableValue { .uuid(self) }
}

extension URL: ArchiveConvertible {
    /// Takes a URL.
    public init?(archivable value: ArchivableValue) {
        guard case .url(let url) = value else { return nil }
        self = url
    }
    /// The URL; a relative one as the absolute URL that it stands for.
    public var archivable: ArchivableValue { .url(self) }
}
