import CairnModel
import Foundation

extension ModelHistory {
    /// Reads all versions of the model at a location, and the mapping models beside it.
    ///
    /// The versions are in the order of their names, as people sort numbers: `Model 2` before
    /// `Model 10`. A version without a number, which Xcode names as the model, comes first. Mapping
    /// models (`.cdm`, `.xcmappingmodel`) that lead from or to a version of another model are left out.
    ///
    /// - Parameter location: a model of any form.
    /// - Throws: as ``VersionedModel/init(contentsOf:)``; `.unreadable` for a mapping model.
    public init(contentsOf location: URL) throws(ModelError) {
        let model = try VersionedModel(contentsOf: location)
        self.init(
            versions: model.names.compactMap { name in
                model.versions[name].map { Version(name: name, model: $0) }
            })
        let folder = location.deletingLastPathComponent()
        for name in try ModelFile.names(in: folder).sorted() {
            let file = folder.appendingPathComponent(name)
            guard MappingModelFile.extensions.contains(file.pathExtension) else { continue }
            let mapping = try MappingModelFile(contentsOf: file)
            if let mapping = mapping.mapping(among: model.versions) { mappings.append(mapping) }
        }
    }
}
