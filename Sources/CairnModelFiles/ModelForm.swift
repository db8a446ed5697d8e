import Foundation

/// A form in which models are written.
public enum ModelForm: String, Sendable, CaseIterable {
    /// A folder of source versions, which Xcode edits.
    case xcdatamodeld
    /// A folder with one source version.
    case xcdatamodel
    /// A folder of compiled versions.
    case momd
    /// A file with one compiled version.
    case mom

    /// Returns the form that the extension of a file or folder names; `nil` if it names none.
    public init?(of location: URL) { self.init(rawValue: location.pathExtension) }

    /// Whether the form holds several versions.
    public var isVersioned: Bool { self == .xcdatamodeld || self == .momd }
    /// Whether the form is compiled: archived, for programs.
    public var isCompiled: Bool { self == .momd || self == .mom }
}
