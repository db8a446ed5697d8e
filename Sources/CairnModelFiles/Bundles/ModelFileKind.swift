import CairnModel
import Foundation

/// The forms in which models come, told by content as much as by name.
enum ModelFileKind {
    /// `.xcdatamodeld`: a folder of source versions.
    case sourceVersions
    /// `.xcdatamodel`: a folder with one `contents`.
    case source
    /// The `contents` file itself.
    case sourceContents
    /// The form before Xcode 4: a keyed archive called `elements` in an `.xcdatamodel`.
    case elements
    /// That archive itself.
    case elementsArchive
    /// `.momd`: a folder of compiled versions.
    case compiledVersions
    /// `.mom`.
    case compiled
    /// `.omo`: an optimised copy beside a `.mom`.
    case optimised

    /// - Returns: `nil` if the URL leads to something that is not a model.
    /// - Throws: `.notFound` if the URL leads to nothing, `.unreadable` if it cannot be examined.
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
