import CairnModel
import Foundation

extension ModelHistory {
    /// Reads all versions of the model at a location, and its mapping models.
    ///
    /// The versions are sorted by name, with numbers in numeric order: `Model 2` comes before `Model 10`. The
    /// version without a number, which has the name of the model in Xcode, comes first. If the names differ in
    /// more than numbers, `isOrderCertain` is `false`. Mapping models
    /// (`.cdm` and `.xcmappingmodel`) of another model are left out. One that was made for other versions of this
    /// model is not used. If a migration is refused, the error names it and says why.
    ///
    /// - Parameters:
    ///   - location: The location of a model of any form.
    ///   - folders: The folders that contain mapping models. Their subfolders are not searched. If `nil`, the
    ///     folder that contains the model.
    /// - Throws: The errors of `VersionedModel.init(contentsOf:)`, or `.unreadable` for a mapping model or
    ///   a folder that cannot be read.
    public init(
        contentsOf location: URL, mappingModelsIn folders: [URL]? = nil
    ) throws(ModelError) {
        let model = try VersionedModel(contentsOf: location)
        self.init(
            versions: model.names.compactMap { name in
                model.versions[name].map { Version(name: name, model: $0) }
            })
        isOrderCertain = Set(model.names.map(Self.wordsOf)).count <= 1
        for folder in folders ?? [location.deletingLastPathComponent()] {
            for name in try ModelFile.names(in: folder).sorted() {
                let file = folder.appendingPathComponent(name)
                guard MappingModelFile.extensions.contains(file.pathExtension) else { continue }
                switch try MappingModelFile(contentsOf: file).mapping(among: model.versions) {
                case .success(let mapping)?: mappings.append(mapping)
                case .failure(let misfit)?: unusedMappings.append(misfit.finding)
                case nil: break
                }
            }
        }
    }

    /// Returns the letters of a version's name, without a final “v” or “version”: “Model”, “Model 2” and
    /// “ModelV3” have the same letters.
    private static func wordsOf(_ name: String) -> String {
        let letters = name.lowercased().filter(\.isLetter)
        let ending = ["version", "v"].first { letters.hasSuffix($0) } ?? ""
        return String(letters.dropLast(ending.count))
    }
}
