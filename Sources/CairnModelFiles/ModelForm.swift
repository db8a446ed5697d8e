import Foundation

/// A form in which models can be written.
public enum ModelForm: String, Sendable, CaseIterable {
    /// A folder with source versions, which Xcode can edit.
    case xcdatamodeld
    /// A folder with one source version.
    case xcdatamodel
    /// A folder with compiled versions.
    case momd
    /// A file with one compiled version.
    case mom

    /// Creates the form for the extension of a file or folder. Returns `nil` if the extension is unknown.
    public init?(of location: URL) { self.init(rawValue: location.pathExtension) }

    /// Whether the form can contain several versions.
    package var isVersioned: Bool { self == .xcdatamodeld || self == .momd }
    /// Whether the form is compiled, which means that the models are archives.
    package var isCompiled: Bool { self == .momd || self == .mom }
}
