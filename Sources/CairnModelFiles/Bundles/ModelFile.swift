import CairnFiles
import CairnModel
import CairnModelArchive
import CairnSAX
import Foundation

/// Reads individual files of models.
enum ModelFile {
    /// The maximum size of a file in bytes. The largest known model has 60 kB.
    private static let byteCountLimit = 64 << 20

    /// Reads a regular file. Anything else is refused immediately, because a pipe or a device may be endless.
    static func bytes(_ url: URL) throws(ModelError) -> [UInt8] {
        let nature: FileNature
        do {
            nature = try FileNature(of: url.path)
        } catch {
            throw unreadable(url, error.message)
        }
        switch nature {
        case .regularFile(let byteCount) where byteCount > byteCountLimit:
            throw unreadable(
                url,
                "the file has \(byteCount) bytes, but a model can have at most \(byteCountLimit)")
        case .regularFile: break
        case .folder: throw unreadable(url, "it is a folder, not a file")
        case .special(let name): throw unreadable(url, "it is \(name), not a file")
        }
        do {
            return Array(try PosixFile.read(url.path, byteCountLimit: byteCountLimit))
        } catch {
            throw unreadable(url, error.message)
        }
    }

    private static func unreadable(_ url: URL, _ detail: String) -> ModelError {
        .unreadable(file: url, location: "the beginning", detail: detail)
    }

    /// Returns the names of the items in a folder, sorted.
    static func names(in folder: URL) throws(ModelError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        } catch {
            throw .unreadable(
                file: folder, location: "the folder", detail: error.localizedDescription)
        }
    }

    /// Returns the dictionary in a property list of any form, or `nil` if the file does not exist.
    static func dictionary(_ url: URL) throws(ModelError) -> [String: Any]? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let data = Data(try bytes(url))
        guard
            let list = try? PropertyListSerialization.propertyList(
                from: data, options: [], format: nil),
            let dictionary = list as? [String: Any]
        else {
            throw .unreadable(
                file: url, location: "the root",
                detail: "the file is not a property list with a dictionary")
        }
        return dictionary
    }

    /// Reads a `contents` file.
    static func source(_ url: URL) throws(ModelError) -> ModelDescription {
        let bytes = try bytes(url)
        do {
            return try SourceModelReader.description(of: bytes)
        } catch {
            throw .unreadable(file: url, location: "line \(error.line)", detail: error.detail)
        }
    }

    /// Reads a `.mom` file.
    static func compiled(_ url: URL) throws(ModelError) -> ModelDescription {
        let bytes = try bytes(url)
        do {
            return try ModelArchive.decode(bytes)
        } catch {
            throw .unreadable(file: url, location: error.location, detail: error.detail)
        }
    }

    /// Reads an `elements` file.
    static func elements(_ url: URL) throws(ModelError) -> ModelDescription {
        let bytes = try bytes(url)
        do {
            return try ElementsModelReader.description(of: bytes)
        } catch {
            throw .unreadable(file: url, location: error.location, detail: error.detail)
        }
    }

    /// Returns the error for an optimised copy, whose form is recognised but not read.
    static func unsupportedOptimised(_ url: URL) -> ModelError {
        .unsupportedForm(
            file: url, form: "“.omo”, an optimized copy",
            advice: "Use the .mom next to it, which contains the same model.")
    }
}

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

/// The content of `VersionInfo.plist` in a `.momd`.
struct VersionInfo {
    /// The name of the current version, without its extension. `nil` in old bundles.
    var currentName: String?
    /// The version hash of each entity, by the name of the version.
    var hashes: [String: [String: VersionHash]] = [:]

    /// Reads the file of a bundle. If the file does not exist, all properties are empty.
    init(bundle: URL) throws(ModelError) {
        let file = bundle.appendingPathComponent("VersionInfo.plist")
        guard let dictionary = try ModelFile.dictionary(file) else { return }
        currentName = dictionary["NSManagedObjectModel_CurrentVersionName"] as? String
        let versions = dictionary["NSManagedObjectModel_VersionHashes"] as? [String: Any] ?? [:]
        for (version, recorded) in versions {
            for (entity, hash) in recorded as? [String: Any] ?? [:] {
                guard let data = hash as? Data, data.count == 32 else { continue }
                hashes[version, default: [:]][entity] = VersionHash(data)
            }
        }
    }
}
