import CairnFiles
import CairnModel
import CairnModelArchive
import Foundation

/// Writes models as the folders that Core Data's tools use.
///
/// Existing files of the same names are replaced, one file at a time, durably and each wholly or
/// not at all; others are left alone.
public enum ModelWriter {
    /// Writes `.xcdatamodeld`: one folder per version, and which one is the current one.
    ///
    /// - Parameter versions: descriptions by name, without extension.
    /// - Throws: `.notFound` where no version has the current name; the file system's errors.
    public static func writeSource(
        _ versions: [String: ModelDescription], current: String, to location: URL
    ) throws {
        guard versions[current] != nil else {
            throw ModelError.notFound(current, searched: [location])
        }
        for (name, description) in versions {
            let folder = location.appendingPathComponent(name + ".xcdatamodel")
            try makeFolder(folder)
            let text = SourceModelWriter.contents(of: description)
            try write(Data(text.utf8), to: folder.appendingPathComponent("contents"))
        }
        try write(
            ["_XCCurrentVersionName": current + ".xcdatamodel"], as: .xml,
            to: location.appendingPathComponent(".xccurrentversion"))
    }

    /// Writes `.momd`: one `.mom` per version, and `VersionInfo.plist` with the current one and
    /// the hashes of each.
    ///
    /// - Parameter versions: compiled models by name, without extension.
    /// - Throws: `.notFound` where no version has the current name; the file system's errors.
    public static func writeCompiled(
        _ versions: [String: ManagedObjectModel], current: String, to location: URL
    ) throws {
        guard versions[current] != nil else {
            throw ModelError.notFound(current, searched: [location])
        }
        try makeFolder(location)
        for (name, model) in versions {
            let file = location.appendingPathComponent(name + ".mom")
            try write(Data(ModelArchive.encode(model)), to: file)
        }
        let info: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": current,
            "NSManagedObjectModel_VersionHashes":
                versions.mapValues { $0.entityVersionHashes.mapValues(\.data) },
            "NSManagedObjectModel_VersionChecksums": versions.mapValues(\.versionChecksum),
        ]
        try write(info, as: .binary, to: location.appendingPathComponent("VersionInfo.plist"))
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

    private static func write(_ data: Data, to file: URL) throws {
        try DurableFile(file).write(Array(data))
    }
}
