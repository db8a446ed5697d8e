import CairnModel
import Foundation

/// The versions of a model in an `.xcdatamodeld` or `.momd` folder.
///
/// Opening the folder reads only names. Each version is read when it is requested.
package struct ModelVersions: Sendable {
    /// The location of the `.xcdatamodeld` or `.momd` folder.
    package let location: URL
    /// The names of all versions, without extension, sorted.
    package let names: [String]
    /// The name of the current version, or of the only version. `nil` if there are several versions and the
    /// folder does not specify the current one.
    package let currentName: String?
    /// For each version, the hash of each entity that Core Data's tools recorded in a `.momd`. Empty for a
    /// source folder.
    package let recordedHashes: [String: [String: VersionHash]]
    private let isSource: Bool

    /// Opens a folder.
    ///
    /// - Throws: `.notFound` if nothing exists at the location, or `.unreadable` if it is not a folder of
    ///   model versions or if the file that specifies the current version is damaged.
    package init(contentsOf location: URL) throws(ModelError) {
        let kind = try ModelFileKind(location)
        guard kind == .sourceVersions || kind == .compiledVersions else {
            throw .unreadable(
                file: location, location: "the folder",
                detail: "the folder contains no model versions")
        }
        isSource = kind == .sourceVersions
        let suffix = isSource ? ".xcdatamodel" : ".mom"
        names = try ModelFile.names(in: location)
            .filter { $0.hasSuffix(suffix) && !$0.hasPrefix("._") }
            .map { String($0.dropLast(suffix.count)) }
            .sorted()
        self.location = location
        var named: String?
        if isSource {
            recordedHashes = [:]
            let file = location.appendingPathComponent(".xccurrentversion")
            named = try ModelFile.dictionary(file)?["_XCCurrentVersionName"] as? String
            if let name = named, name.hasSuffix(suffix) {
                named = String(name.dropLast(suffix.count))
            }
        } else {
            let info = try VersionInfo(bundle: location)
            recordedHashes = info.hashes
            // Old bundles do not specify the current version. It is the version with the name of the bundle.
            let bundleName = location.deletingPathExtension().lastPathComponent
            named = info.currentName ?? (names.contains(bundleName) ? bundleName : nil)
        }
        // If there is only one version, it is the current one, even if a different name is recorded.
        currentName = names.count == 1 ? names[0] : named
    }

    /// Returns the file or folder of a version.
    package func location(of name: String) -> URL {
        location.appendingPathComponent(name + (isSource ? ".xcdatamodel" : ".mom"))
    }

    /// Reads the description of a version.
    ///
    /// - Throws: `.notFound` with the existing versions if there is no such version, `.unreadable` or
    ///   `.unsupportedForm`.
    package func description(of name: String) throws(ModelError) -> ModelDescription {
        guard names.contains(name) else {
            throw .notFound(name, searched: names.map(location(of:)))
        }
        return try ModelReader.description(at: location(of: name))
    }

    /// Reads and compiles a version.
    ///
    /// - Throws: The errors of ``description(of:)``, or `.invalid`.
    package func model(named name: String) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            description(of: name), recordedHashes: recordedHashes[name] ?? [:])
    }

    /// Reads and compiles the current version.
    ///
    /// - Throws: The errors of ``model(named:)``, or `.unreadable` with the names of all versions if there is
    ///   no current version.
    package func currentModel() throws(ModelError) -> ManagedObjectModel {
        try model(named: requireCurrentName())
    }

    func requireCurrentName() throws(ModelError) -> String {
        guard let currentName else {
            throw .unreadable(
                file: location, location: isSource ? ".xccurrentversion" : "VersionInfo.plist",
                detail: "there is no current version; choose one of "
                    + names.map { "“\($0)”" }.joined(separator: ", "))
        }
        return currentName
    }
}
