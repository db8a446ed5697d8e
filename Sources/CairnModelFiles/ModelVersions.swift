import CairnModel
import Foundation

/// The versions of a model in an `.xcdatamodeld` or `.momd` folder.
///
/// Opening reads names only; each version is read when it is asked for.
public struct ModelVersions: Sendable {
    /// The folder.
    public let location: URL
    /// The names of all versions, without extension, sorted.
    public let names: [String]
    /// The version that the folder names as its current one, or the only one. `nil` if it has
    /// several and names none.
    public let currentName: String?
    /// The hashes that Core Data's tools recorded for each entity of each version (`.momd`); empty
    /// for a source folder.
    public let recordedHashes: [String: [String: VersionHash]]
    private let isSource: Bool

    /// Opens the folder.
    ///
    /// - Throws: `.notFound` if there is nothing at `location`, `.unreadable` if it is not a folder
    ///   of model versions, or if the file that names the current version is damaged.
    public init(contentsOf location: URL) throws(ModelError) {
        let kind = try ModelFileKind(location)
        guard kind == .sourceVersions || kind == .compiledVersions else {
            throw .unreadable(
                file: location, location: "the folder", detail: "it holds no model versions")
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
            // Old bundles name no version; their model is the one called as the bundle is.
            let bundleName = location.deletingPathExtension().lastPathComponent
            named = info.currentName ?? (names.contains(bundleName) ? bundleName : nil)
        }
        // The only version is the current one, whatever it was once called.
        currentName = names.count == 1 ? names[0] : named
    }

    /// The file or folder of a version.
    public func location(of name: String) -> URL {
        location.appendingPathComponent(name + (isSource ? ".xcdatamodel" : ".mom"))
    }

    /// Reads a version as its author declared it.
    ///
    /// - Throws: `.notFound` if there is no such version, with a list of the existing ones;
    ///   `.unreadable`, `.unsupportedForm`.
    public func description(of name: String) throws(ModelError) -> ModelDescription {
        guard names.contains(name) else {
            throw .notFound(name, searched: names.map(location(of:)))
        }
        return try ModelReader.description(at: location(of: name))
    }

    /// Reads and compiles a version.
    ///
    /// - Throws: as ``description(of:)``, and `.invalid`.
    public func model(named name: String) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            description(of: name), recordedHashes: recordedHashes[name] ?? [:])
    }

    /// Reads and compiles the current version.
    ///
    /// - Throws: as ``model(named:)``; `.unreadable` with the names of all versions where none is
    ///   the current one.
    public func currentModel() throws(ModelError) -> ManagedObjectModel {
        try model(named: requireCurrentName())
    }

    func requireCurrentName() throws(ModelError) -> String {
        guard let currentName else {
            throw .unreadable(
                file: location, location: isSource ? ".xccurrentversion" : "VersionInfo.plist",
                detail: "it does not say which version is the current one; there are "
                    + names.map { "“\($0)”" }.joined(separator: ", "))
        }
        return currentName
    }
}
