import CairnModel
import CairnModelArchive
import Foundation

/// Writes models to new files or folders. A model is written completely or not at all.
public enum ModelCreator {
    /// Writes the versions of a model in a form, to a location where no file or folder exists.
    ///
    /// Reading the location gives equal models with equal hashes. There is one exception: source forms
    /// contain no hashes, and the hashes of entities with derived attributes cannot be computed
    /// (`Entity.isVersionHashExact`).
    ///
    /// The file or folder is written under a temporary name next to `location` and renamed when it is
    /// complete.
    ///
    /// - Parameters:
    ///   - model: The model. If the form supports only one version, only the current one is written.
    ///   - form: The form to write, which also determines whether the result is a file or a folder.
    ///   - location: The file or folder to create. Its parent folder must exist.
    /// - Throws: `.exists` if the location is not free, `.unrepresentable` if a source form cannot represent
    ///   a version, or `.unwritable` with the reason. Also throws `.unwritable` if the form supports only one
    ///   version and there is no current version.
    public static func create(
        _ model: VersionedModel, as form: ModelForm, at location: URL
    ) throws(ModelError) {
        let model = try form.isVersioned ? model : currentVersion(of: model, for: location)
        if !form.isCompiled {
            for name in model.names { try requireRepresentable(model, name) }
        }
        guard !exists(location) else { throw .exists(location) }
        try requireFolder(of: location)
        let draft = location.deletingLastPathComponent()
            .appending(path: ".\(location.lastPathComponent).\(UUID().uuidString)")
        do {
            try write(model, as: form, to: draft)
            try rename(draft, to: location)
        } catch {
            try? FileManager.default.removeItem(at: draft)
            if let error = error as? ModelError { throw error }
            throw .unwritable(location, detail: detail(of: error))
        }
    }

    // MARK: Steps

    private static func currentVersion(
        of model: VersionedModel, for location: URL
    ) throws(ModelError) -> VersionedModel {
        guard let name = model.currentName, let version = model.versions[name] else {
            throw .unwritable(
                location,
                detail: "this form contains only the current version, but none of "
                    + model.names.map { "“\($0)”" }.joined(separator: ", ")
                    + " is the current version")
        }
        return VersionedModel(versions: [name: version], currentName: name)
    }

    /// Parses the text that would be written, because only that reveals what the form cannot represent.
    private static func requireRepresentable(
        _ model: VersionedModel, _ name: String
    ) throws(ModelError) {
        guard let version = model.versions[name] else { return }
        let text = SourceModelWriter.contents(of: version.description)
        let read: ManagedObjectModel
        do {
            read = try ManagedObjectModel(SourceModelReader.description(of: Array(text.utf8)))
        } catch {
            throw .unrepresentable(
                form: "“contents”", changes: ["\(error)"], advice: adviceForSource)
        }
        guard read.description != version.description else { return }
        throw .unrepresentable(
            form: "“contents”", changes: ModelChanges(from: version, to: read).lines,
            advice: adviceForSource)
    }

    private static let adviceForSource =
        "Write a compiled form (.momd or .mom), which can represent everything, or remove these parts"
        + " from the model."

    private static func write(
        _ model: VersionedModel, as form: ModelForm, to draft: URL
    ) throws {
        switch form {
        case .xcdatamodeld:
            try ModelWriter.writeSource(
                model.versions.mapValues(\.description), current: model.currentName, to: draft)
        case .momd:
            try ModelWriter.writeCompiled(
                model.versions, current: model.currentName, to: draft)
        case .xcdatamodel:
            for version in model.versions.values {
                try ModelWriter.writeSource(version.description, to: draft)
            }
        case .mom:
            for version in model.versions.values {
                try ModelWriter.write(Data(ModelArchive.encode(version)), to: draft)
            }
        }
    }

    // MARK: Files

    private static func exists(_ location: URL) -> Bool {
        // A symbolic link exists even if its destination does not.
        (try? FileManager.default.attributesOfItem(atPath: location.path)) != nil
    }

    /// Renames the draft to its final name, unless another process has created a file with that name.
    private static func rename(_ draft: URL, to location: URL) throws {
        guard !exists(location) else { throw ModelError.exists(location) }
        try FileManager.default.moveItem(at: draft, to: location)
    }

    /// Requires that the parent folder exists. It is not created, because the caller may have mistyped the
    /// path.
    private static func requireFolder(of location: URL) throws(ModelError) {
        let folder = location.deletingLastPathComponent()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder),
            isFolder.boolValue
        else { throw .unwritable(location, detail: "the folder \(folder.path) does not exist") }
    }

    private static func detail(of error: any Error) -> String {
        let text = (error as? any LocalizedError)?.errorDescription ?? error.localizedDescription
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

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
