import CairnModel
import CairnModelArchive
import Foundation

/// Writes a new file or folder with a model: the whole of it, or nothing.
public enum ModelCreator {
    /// Writes the versions of a model in a form, at a location where nothing is yet.
    ///
    /// Reading the location gives equal models with equal hashes. The folder or file is made beside the
    /// location under another name, and gets its own name when it is complete.
    ///
    /// The one exception to equal hashes: source forms record none, and no formula gives those of
    /// entities with derived attributes (``CairnModel/Entity/isVersionHashExact``).
    ///
    /// - Parameter model: its current version alone is written in a form that holds one version.
    /// - Throws: `.exists`; `.unrepresentable` for a source form, if a version says something that
    ///   it cannot express; `.unwritable` with the system's reason; `.unreadable` if a form that holds
    ///   one version is wanted and no version is the current one.
    public static func create(
        _ model: VersionedModel, as form: ModelForm, at location: URL
    ) throws(ModelError) {
        let model = try form.isVersioned ? model : currentVersion(of: model, for: location)
        if !form.isCompiled {
            for name in model.names { try requireRepresentable(model, name) }
        }
        guard !isThere(location) else { throw .exists(location) }
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
                detail: "it holds one version, and none of "
                    + model.names.map { "“\($0)”" }.joined(separator: ", ")
                    + " is the current one")
        }
        return VersionedModel(versions: [name: version], currentName: name)
    }

    /// Reads back what would be written, because only that shows what the form cannot express.
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
        "Write a compiled form (.momd or .mom), which keeps everything, or remove it from the model."

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

    private static func isThere(_ location: URL) -> Bool {
        // A link that leads nowhere is there, too.
        (try? FileManager.default.attributesOfItem(atPath: location.path)) != nil
    }

    /// Gives the draft its name, unless another process was faster.
    private static func rename(_ draft: URL, to location: URL) throws {
        guard !isThere(location) else { throw ModelError.exists(location) }
        try FileManager.default.moveItem(at: draft, to: location)
    }

    /// Missing folders are not made: the caller may have mistyped the path.
    private static func requireFolder(of location: URL) throws(ModelError) {
        let folder = location.deletingLastPathComponent()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder),
            isFolder.boolValue
        else { throw .unwritable(location, detail: "there is no folder \(folder.path)") }
    }

    private static func detail(of error: any Error) -> String {
        let text = (error as? any LocalizedError)?.errorDescription ?? error.localizedDescription
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
