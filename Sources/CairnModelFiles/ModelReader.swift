import CairnModel
import Foundation

/// Reads model descriptions in all file formats.
public enum ModelReader {
    /// Reads the model at a location, which may be an `.xcdatamodeld` or `.momd` (the current version is
    /// read), an `.xcdatamodel`, its `contents` or `elements` file, or a `.mom`. The form is recognised by
    /// its content, not by its name.
    ///
    /// - Throws: `.notFound`, `.unreadable` or `.unsupportedForm`.
    public static func description(at location: URL) throws(ModelError) -> ModelDescription {
        switch try ModelFileKind(location) {
        case .sourceVersions?, .compiledVersions?:
            let versions = try ModelVersions(contentsOf: location)
            return try versions.description(of: versions.requireCurrentName())
        case .source?:
            return try ModelFile.source(location.appendingPathComponent("contents"))
        case .sourceContents?: return try ModelFile.source(location)
        case .compiled?: return try ModelFile.compiled(location)
        case .elements?:
            return try ModelFile.elements(location.appendingPathComponent("elements"))
        case .elementsArchive?: return try ModelFile.elements(location)
        case .optimised?: throw ModelFile.unsupportedOptimised(location)
        case nil:
            throw .unreadable(
                file: location, location: "the beginning",
                detail: "the file is not a Core Data model of any known form")
        }
    }

    /// Reads the model at a location, and the hashes that Core Data's tools recorded for it.
    package static func content(
        at location: URL
    ) throws(ModelError) -> (description: ModelDescription, recordedHashes: [String: VersionHash]) {
        let kind = try ModelFileKind(location)
        var recorded: [String: VersionHash] = [:]
        if kind == .compiledVersions {
            let versions = try ModelVersions(contentsOf: location)
            recorded = versions.recordedHashes[try versions.requireCurrentName()] ?? [:]
        } else if kind == .compiled {
            // The version may be inside a bundle. The bundle's file may be damaged even if the version is
            // not.
            let info = try? VersionInfo(bundle: location.deletingLastPathComponent())
            let name = location.deletingPathExtension().lastPathComponent
            recorded = info?.hashes[name] ?? [:]
        }
        return (try description(at: location), recorded)
    }
}

extension ManagedObjectModel {
    /// Reads and compiles the model at a location, which may be an `.xcdatamodeld` or `.momd` (the current
    /// version is read), an `.xcdatamodel`, or a `.mom`.
    ///
    /// Hashes that a `.momd` contains are used for entities with derived attributes.
    ///
    /// - Throws: `.notFound` if there is no file or folder, `.unreadable` with the line, key or byte offset,
    ///   `.unsupportedForm` for an `.omo`, or `.invalid` with all problems.
    @_disfavoredOverload  // The module CoreData has an initializer of this name that returns `nil`.
    public convenience init(contentsOf location: URL) throws(ModelError) {
        let (description, recordedHashes) = try ModelReader.content(at: location)
        try self.init(description, recordedHashes: recordedHashes)
    }
}
