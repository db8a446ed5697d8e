import CairnModel
import Foundation

extension ModelHistory {
    /// Reads all versions of the model at a location, and mapping models.
    ///
    /// The versions are in the order of their names, as people sort numbers: `Model 2` before
    /// `Model 10`. A version without a number, which Xcode names as the model, comes first. Mapping
    /// models (`.cdm`, `.xcmappingmodel`) that lead from or to a version of another model are left out.
    ///
    /// - Parameters:
    ///   - location: a model of any form.
    ///   - folders: where mapping models are; their subfolders are not searched. `nil` means the folder
    ///     of the model.
    /// - Throws: as ``VersionedModel/init(contentsOf:)``; `.unreadable` for a mapping model, or a folder
    ///   that cannot be listed.
    public init(
        contentsOf location: URL, mappingModelsIn folders: [URL]? = nil
    ) throws(ModelError) {
        let model = try VersionedModel(contentsOf: location)
        self.init(
            versions: model.names.compactMap { name in
                model.versions[name].map { Version(name: name, model: $0) }
            })
        for folder in folders ?? [location.deletingLastPathComponent()] {
            for name in try ModelFile.names(in: folder).sorted() {
                let file = folder.appendingPathComponent(name)
                guard MappingModelFile.extensions.contains(file.pathExtension) else { continue }
                let mapping = try MappingModelFile(contentsOf: file)
                if let mapping = mapping.mapping(among: model.versions) { mappings.append(mapping) }
            }
        }
    }
}
