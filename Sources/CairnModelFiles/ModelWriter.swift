import CairnFiles
import CairnModel
import CairnModelArchive
import Foundation

/// Writes models as the folders that Core Data's tools use.
///
/// Existing files with the same names are replaced, and other files are left unchanged. Each file is
/// replaced atomically and durably, but the folder as a whole is not.
public enum ModelWriter {
    /// Writes an `.xcdatamodeld`, which contains a folder for each version and the name of the current
    /// version.
    ///
    /// - Parameters:
    ///   - versions: The descriptions by name, without extension.
    ///   - current: The name of the current version, or `nil` to specify none.
    ///   - location: The `.xcdatamodeld` folder. It is created if it does not exist.
    /// - Throws: `.notFound` if there is no version with the name `current`, or an error of the file system.
    public static func writeSource(
        _ versions: [String: ModelDescription], current: String?, to location: URL
    ) throws {
        if let current, versions[current] == nil {
            throw ModelError.notFound(current, searched: [location])
        }
        for (name, description) in versions {
            try writeSource(
                description, to: location.appendingPathComponent(name + ".xcdatamodel"))
        }
        guard let current else { return }
        try write(
            ["_XCCurrentVersionName": current + ".xcdatamodel"], as: .xml,
            to: location.appendingPathComponent(".xccurrentversion"))
    }

    /// Writes a `.momd`, which contains a `.mom` for each version, and a `VersionInfo.plist` with the current
    /// version and the hashes of all versions.
    ///
    /// - Parameters:
    ///   - versions: The compiled models by name, without extension.
    ///   - current: The name of the current version, or `nil` to specify none.
    ///   - location: The `.momd` folder. It is created if it does not exist.
    /// - Throws: `.notFound` if there is no version with the name `current`, or an error of the file system.
    public static func writeCompiled(
        _ versions: [String: ManagedObjectModel], current: String?, to location: URL
    ) throws {
        if let current, versions[current] == nil {
            throw ModelError.notFound(current, searched: [location])
        }
        try makeFolder(location)
        for (name, model) in versions {
            let file = location.appendingPathComponent(name + ".mom")
            try write(Data(ModelArchive.encode(model)), to: file)
        }
        var info: [String: Any] = [
            "NSManagedObjectModel_VersionHashes":
                versions.mapValues { $0.entityVersionHashes.mapValues(\.data) },
            "NSManagedObjectModel_VersionChecksums": versions.mapValues(\.versionChecksum),
        ]
        if let current { info["NSManagedObjectModel_CurrentVersionName"] = current }
        try write(info, as: .binary, to: location.appendingPathComponent("VersionInfo.plist"))
    }

    /// Writes an `.xcdatamodel`, which is a folder with one version.
    static func writeSource(_ description: ModelDescription, to folder: URL) throws {
        try makeFolder(folder)
        let text = SourceModelWriter.contents(of: description)
        try write(Data(text.utf8), to: folder.appendingPathComponent("contents"))
    }

    private static func makeFolder(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private static func write(
        _ dictionary: [String: Any], as format: PropertyListSerialization.PropertyListFormat,
        to file: URL
    ) throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: dictionary, format: format, options: 0)
        try write(data, to: file)
    }

    static func write(_ data: Data, to file: URL) throws {
        try DurableFile(file).write(Array(data))
    }
}
