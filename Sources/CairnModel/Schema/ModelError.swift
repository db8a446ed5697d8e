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
    /// A description of what failed, for which model, why, and what to do next. Contains no control
    /// characters, not even those of file names.
    public var description: String { VisibleText.line(text) }

    private var text: String {
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

/// A problem that makes a model description invalid.
public struct ModelProblem: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of problems.
    public enum Kind: Sendable, Hashable {
        /// The model has more than 65,534 entities, the most that 16-bit numbers can distinguish.
        case tooManyEntities
        /// The entity has more properties, including inherited ones, than 16-bit slots can distinguish.
        case tooManyProperties
        /// An entity, a property or a composite has an empty name.
        case emptyName
        /// A name contains a character that stores cannot have in names: U+0000. ``ModelProblem/property`` is
        /// this name, even if it is the name of the entity.
        case unusableName
        /// Two entities of the model have the same name. Names are case-sensitive.
        case duplicateEntity
        /// The entity declares a property twice, or declares a property that it inherits.
        case duplicateProperty
        /// The superentity is not an entity of the model.
        case unknownSuperentity
        /// The entity inherits from itself, directly or through other entities.
        case inheritanceCycle
        /// The destination of a relationship is missing, or is not an entity of the model.
        case unknownDestination
        /// The inverse is not a relationship of the destination entity, and the destination does not inherit
        /// such a relationship either.
        case unknownInverse
        /// The inverse has a different destination or a different inverse, or the classes of the model do not
        /// say which of several relationships it is.
        case inverseMismatch
        /// A to-one has a maximum greater than 1, a minimum is negative, or it is greater than the maximum.
        case invalidCounts
        /// A default value does not have the attribute's type.
        case defaultTypeMismatch
        /// Two composites have the same name.
        case duplicateComposite
        /// An attribute of type `.composite` names no composite, or a composite that the model does not
        /// contain.
        case unknownComposite
        /// A composite contains itself, directly or through other composites.
        case compositeCycle
        /// A uniqueness constraint contains a name that is not a property of the entity.
        /// ``ModelProblem/property`` is this name.
        case unknownConstraintProperty
        /// A uniqueness constraint contains no property.
        case emptyConstraint
        /// The regular expression of a validation rule is invalid.
        case invalidRegularExpression
        /// The expression of a derived attribute cannot be parsed, refers to an unknown property, or has
        /// several values. Also reported if the attribute is transient, because stores do not compute
        /// transient attributes.
        case invalidDerivation
        /// A fetch index contains a name that is not a property of the entity. ``ModelProblem/property`` is
        /// this name. Compound indexes, the older form, are not checked.
        case unknownIndexProperty
        /// A configuration contains the name of an entity that the model does not contain.
        /// ``ModelProblem/detail`` names both.
        case unknownConfigurationEntity
        /// A fetch request template or a fetched property fetches an entity that the model does not contain.
        case unknownTemplateEntity
        /// The predicate of a fetched property that a class declares cannot be read.
        case unreadablePredicate
    }

    /// The kind of problem, for callers that handle kinds differently. ``detail`` describes it in words.
    public var kind: Kind
    /// The name of the entity or of the composite, or an empty string if the problem concerns the model
    /// itself.
    public var entity: String
    /// The name of the property, or `nil` if the problem concerns the entity itself.
    public var property: String?
    /// The offending name or value, and what is wrong with it.
    public var detail: String

    /// Creates a problem. Compiling a model creates problems, and tools that check descriptions may also
    /// create them.
    package init(_ kind: Kind, entity: String = "", property: String? = nil, _ detail: String) {
        self.kind = kind
        self.entity = entity
        self.property = property
        self.detail = detail
    }

    /// The entity, the property and the detail in one line without a full stop, such as
    /// `Book.author: its destination …`.
    public var description: String {
        let location = property.map { "\(entity).\($0): " } ?? (entity.isEmpty ? "" : "\(entity): ")
        return location + detail
    }
}
