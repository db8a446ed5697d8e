import Foundation

/// The reason that a model could not be created, read, written or merged.
public enum ModelError: Error, Sendable, Equatable {
    /// The description is not valid. The associated value contains all problems, not only the first.
    case invalid([ModelProblem])
    /// No model with this name was found, or no model at all if the name is empty. `searched` lists the
    /// locations that were searched.
    case notFound(String, searched: [URL])
    /// The file exists but is not a model that can be read. `location` is a line, key or byte offset.
    case unreadable(file: URL, location: String, detail: String)
    /// The model has a form that this version does not read. `advice` says how to convert it.
    case unsupportedForm(file: URL, form: String, advice: String)
    /// The model was not written because a file already exists at the location.
    case exists(URL)
    /// The model could not be written. No file was left at the location.
    case unwritable(URL, detail: String)
    /// The form cannot represent the whole model, so nothing was written. `changes` lists the parts that
    /// would be different in the written model, and `advice` names a form that can represent them.
    case unrepresentable(form: String, changes: [String], advice: String)
    /// Two models to be merged contain different entities with this name.
    case mergeConflict(entity: String)
    /// The model has no configuration with this name. `known` lists the existing configurations.
    case unknownConfiguration(String, known: [String])
}

extension ModelError: CustomStringConvertible {
    /// A description of what failed, for which model, why, and what to do next.
    public var description: String {
        switch self {
        case .invalid(let problems):
            (problems.count == 1
                ? "The model is not valid: " : "The model has \(problems.count) problems: ")
                + problems.map(\.description).joined(separator: "; ") + "."
        case .notFound(let name, let searched):
            (name.isEmpty ? "No model was found" : "No model “\(name)” was found")
                + (searched.isEmpty
                    ? "." : " in " + Self.distinctPaths(searched).joined(separator: ", ") + ".")
                + " Check the name and that the model is among the program's resources."
        case .unreadable(let file, let location, let detail):
            "The model \(file.path) could not be read at \(location): \(detail)."
        case .unsupportedForm(let file, let form, let advice):
            "The model \(file.path) has the form \(form), which cannot be read. \(advice)"
        case .exists(let location):
            "Nothing was written to \(location.path), because it already exists. Remove it or choose"
                + " another name."
        case .unwritable(let location, let detail):
            "The model \(location.path) could not be written: \(detail)."
        case .unrepresentable(let form, let changes, let advice):
            "The form \(form) cannot represent the whole model. After reading it back, the model would"
                + " differ: "
                + changes.joined(separator: "; ") + ". Nothing was written. \(advice)"
        case .mergeConflict(let entity):
            "The models to merge define the entity “\(entity)” differently."
                + " Rename one of them or leave one model out."
        case .unknownConfiguration(let name, let known):
            "The model has no configuration “\(name)”. "
                + (known.isEmpty
                    ? "It has only the default configuration."
                    : "Its configurations are \(known.joined(separator: ", ")).")
        }
    }
}

extension ModelError: LocalizedError {
    /// The ``description``, which `localizedDescription` returns as well.
    public var errorDescription: String? { description }

    /// Returns the paths of locations, each once.
    private static func distinctPaths(_ locations: [URL]) -> [String] {
        var known: Set<String> = []
        return locations.map(\.path).filter { known.insert($0).inserted }
    }
}
