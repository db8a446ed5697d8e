import CairnModel
import Foundation

/// The forms of model files. They are recognised by their content as well as by their name.
enum ModelFileKind {
    /// `.xcdatamodeld`: a folder with one or more source versions.
    case sourceVersions
    /// `.xcdatamodel`: a folder with a `contents` file.
    case source
    /// A `contents` file.
    case sourceContents
    /// The form before Xcode 4: an `.xcdatamodel` folder with a keyed archive called `elements`.
    case elements
    /// An `elements` file.
    case elementsArchive
    /// `.momd`: a folder with one or more compiled versions.
    case compiledVersions
    /// `.mom`: a compiled model.
    case compiled
    /// `.omo`: an optimised copy of the `.mom` next to it.
    case optimised

    /// Determines the form of a model.
    ///
    /// - Returns: `nil` if the file or folder is not a model.
    /// - Throws: `.notFound` if it does not exist, or `.unreadable` if it cannot be examined.
    init?(_ url: URL) throws(ModelError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw .notFound(url.lastPathComponent, searched: [url.deletingLastPathComponent()])
        }
        let kind =
            isFolder.boolValue
            ? Self.kind(ofFolderWith: try ModelFile.names(in: url))
            : Self.kind(ofFile: try ModelFile.bytes(url), named: url.lastPathComponent)
        guard let kind else { return nil }
        self = kind
    }

    private static func kind(ofFolderWith names: [String]) -> ModelFileKind? {
        if names.contains("contents") { return .source }
        if names.contains("elements") { return .elements }
        if names.contains(where: { $0.hasSuffix(".xcdatamodel") }) { return .sourceVersions }
        if names.contains(where: { $0.hasSuffix(".mom") }) { return .compiledVersions }
        return nil
    }

    private static func kind(ofFile bytes: [UInt8], named name: String) -> ModelFileKind? {
        if bytes.starts(with: Array("bplist".utf8)) {
            return name == "elements" ? .elementsArchive : .compiled
        }
        if bytes.starts(with: Array("momv2$".utf8)) { return .optimised }
        let start = String(decoding: bytes.prefix(400), as: UTF8.self)
        return start.contains("<model") || start.hasPrefix("<?xml") ? .sourceContents : nil
    }
}
