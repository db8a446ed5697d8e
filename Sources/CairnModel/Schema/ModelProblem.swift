/// A problem that makes a model description invalid.
public struct ModelProblem: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of problems.
    public enum Kind: Sendable, Hashable {
        /// The model has more than 65,534 entities, the most that 16-bit numbers can distinguish.
        case tooManyEntities
        /// The entity has more properties, including inherited ones, than 16-bit slots can distinguish.
        case tooManyProperties
        case emptyName
        /// A name contains a character that stores cannot have in names.
        case unusableName
        /// Two entities of the model have the same name. Names are case-sensitive.
        case duplicateEntity
        /// The entity declares a property twice, or declares a property that it inherits.
        case duplicateProperty
        case unknownSuperentity
        /// The entity inherits from itself, directly or through other entities.
        case inheritanceCycle
        case unknownDestination
        case unknownInverse
        /// The inverse has a different destination or a different inverse.
        case inverseMismatch
        /// A to-one has a maximum greater than 1, a minimum is negative, or it is greater than the maximum.
        case invalidCounts
        /// A default value does not have the attribute's type.
        case defaultTypeMismatch
        /// Two composites have the same name.
        case duplicateComposite
        case unknownComposite
        case compositeCycle
        case unknownConstraintProperty
        /// A uniqueness constraint contains no property.
        case emptyConstraint
        /// The regular expression of a validation rule is invalid.
        case invalidRegularExpression
        /// The expression of a derived attribute cannot be parsed, refers to an unknown property, or has
        /// several values. Also reported if the attribute is transient, because stores do not compute
        /// transient attributes.
        case invalidDerivation
        case unknownIndexProperty
        case unknownConfigurationEntity
        case unknownTemplateEntity
    }

    /// The kind of problem, for callers that handle kinds differently. ``detail`` describes it in words.
    public var kind: Kind
    /// The name of the entity, or an empty string if the problem concerns the model itself.
    public var entity: String
    /// The name of the property, or `nil` if the problem concerns the entity itself.
    public var property: String?
    /// The offending name or value, and what is wrong with it.
    public var detail: String

    /// Creates a problem. Compiling a model creates problems, and tools that check descriptions may also
    /// create them.
    public init(_ kind: Kind, entity: String = "", property: String? = nil, _ detail: String) {
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
