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
