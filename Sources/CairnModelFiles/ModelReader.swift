import CairnModel
import Foundation

/// Reads models of every form, as their authors declared them.
public enum ModelReader {
    /// Reads the model at a location: `.xcdatamodeld` or `.momd` (the current version),
    /// `.xcdatamodel`, its `contents` or `elements`, or `.mom`. The form is told by content, not by name.
    ///
    /// - Throws: `.notFound`, `.unreadable`, `.unsupportedForm`.
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
                file: location, location: "its beginning",
                detail: "it is no Core Data model of any form")
        }
    }
}

extension ManagedObjectModel {
    /// Reads and compiles the model at a location: `.xcdatamodeld` or `.momd` (the current
    /// version), `.xcdatamodel`, or `.mom`.
    ///
    /// Hashes that a `.momd` records are used for entities with derived attributes.
    ///
    /// - Throws: `.notFound` where nothing is there; `.unreadable` with the line, key or byte;
    ///   `.unsupportedForm` for an `.omo`; `.invalid` with every contradiction.
    public convenience init(contentsOf location: URL) throws(ModelError) {
        let kind = try ModelFileKind(location)
        var recorded: [String: VersionHash] = [:]
        if kind == .compiledVersions {
            let versions = try ModelVersions(contentsOf: location)
            recorded = versions.recordedHashes[try versions.requireCurrentName()] ?? [:]
        } else if kind == .compiled {
            // The version may be inside a bundle, which may be damaged although the version is not.
            let info = try? VersionInfo(bundle: location.deletingLastPathComponent())
            let name = location.deletingPathExtension().lastPathComponent
            recorded = info?.hashes[name] ?? [:]
        }
        try self.init(ModelReader.description(at: location), recordedHashes: recorded)
    }
}
