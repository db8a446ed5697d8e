import Foundation

/// Why a model could not be made or read.
public enum ModelError: Error, Sendable, Equatable {
    /// The description contradicts itself. Lists every problem, not the first.
    case invalid([ModelProblem])
    /// No model with this name was found, or no model at all if the name is empty. `searched` lists the
    /// locations that were searched.
    case notFound(String, searched: [URL])
    /// The file is there and is not a model we read. `location` names the line, key or byte.
    case unreadable(file: URL, location: String, detail: String)
    /// A form of model that this version does not read; `advice` says how to convert it.
    case unsupportedForm(file: URL, form: String, advice: String)
    /// A model is not written, because something is at the location already.
    case exists(URL)
    /// A model could not be written. Nothing was left at the location.
    case unwritable(URL, detail: String)
    /// A form of model cannot express everything that the model says, so nothing was written.
    /// `changes` names what reading it back would show to differ, and `advice` a form that can.
    case unrepresentable(form: String, changes: [String], advice: String)
    /// Models to merge both have an entity of this name, and the two differ.
    case mergeConflict(entity: String)
    /// The model has no configuration of this name. `known` lists those it has.
    case unknownConfiguration(String, known: [String])
}

extension ModelError: CustomStringConvertible {
    /// What failed, on which model, why, and what to do next.
    public var description: String {
        switch self {
        case .invalid(let problems):
            "The model is not valid: "
                + problems.map(\.description).joined(separator: "; ") + "."
        case .notFound(let name, let searched):
            (name.isEmpty ? "No model was found" : "No model “\(name)” was found")
                + (searched.isEmpty
                    ? "." : " in " + searched.map(\.path).joined(separator: ", ") + ".")
                + " Check the name and that the model is among the program's resources."
        case .unreadable(let file, let location, let detail):
            "The model \(file.path) could not be read at \(location): \(detail)."
        case .unsupportedForm(let file, let form, let advice):
            "The model \(file.path) has the form \(form), which is not read. \(advice)"
        case .exists(let location):
            "Nothing was written to \(location.path), because it exists already. Remove it or choose"
                + " another name."
        case .unwritable(let location, let detail):
            "The model \(location.path) could not be written: \(detail)."
        case .unrepresentable(let form, let changes, let advice):
            "The form \(form) cannot express the whole model; read back, it would differ: "
                + changes.joined(separator: "; ") + ". Nothing was written. \(advice)"
        case .mergeConflict(let entity):
            "The models to merge define the entity “\(entity)” differently."
                + " Rename one of them or leave one model out."
        case .unknownConfiguration(let name, let known):
            "The model has no configuration “\(name)”; it has "
                + (known.isEmpty ? "only the default one." : known.joined(separator: ", ") + ".")
        }
    }
}

extension ModelError: LocalizedError {
    /// The ``description``, which `localizedDescription` returns as well.
    public var errorDescription: String? { description }
}
