/// One contradiction in a model description.
public struct ModelProblem: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as a caller would branch on it.
    public enum Kind: Sendable, Hashable {
        /// More entities than 16-bit numbers can tell apart: 65534 are the most.
        case tooManyEntities
        /// More properties, inherited ones included, than 16-bit slots can tell apart.
        case tooManyProperties
        case emptyName
        /// A name holds a character that no store can have in one.
        case unusableName
        /// Two entities of the model have this name; case matters.
        case duplicateEntity
        /// The entity declares the name twice, or again what it inherits.
        case duplicateProperty
        case unknownSuperentity
        /// Going up from the entity, one comes back to one already passed.
        case inheritanceCycle
        case unknownDestination
        case unknownInverse
        /// The inverse leads to another entity, or back by another relationship.
        case inverseMismatch
        /// A to-one with a maximum above 1, a negative minimum, or a minimum above the maximum.
        case wrongCount
        /// A default value that is not of the attribute's type.
        case wrongDefault
        /// Two composites have one name.
        case duplicateComposite
        case unknownComposite
        case compositeCycle
        case unknownConstraintProperty
        /// A uniqueness constraint that names no property.
        case emptyConstraint
        /// A regular expression of a validation rule that does not compile.
        case invalidRegularExpression
        /// The expression of a derived attribute does not parse, names what its entity does not
        /// have, or gives several values; or the attribute is transient, so that no store computes
        /// it.
        case invalidDerivation
        case unknownIndexProperty
        case unknownConfigurationEntity
        case unknownTemplateEntity
    }

    /// The kind of contradiction, for callers that handle kinds differently. The text is in ``detail``.
    public var kind: Kind
    /// The name of the entity concerned. Empty if the problem concerns the model itself.
    public var entity: String
    /// The name of the property concerned. `nil` if the problem concerns the entity itself.
    public var property: String?
    /// The offending name or value, and what was expected.
    public var detail: String

    /// Creates a problem. Compiling a model creates problems, and tools that check descriptions may
    /// create their own.
    public init(_ kind: Kind, entity: String = "", property: String? = nil, _ detail: String) {
        self.kind = kind
        self.entity = entity
        self.property = property
        self.detail = detail
    }

    /// The location and the detail on one line, without a full stop: `Book.author: its destination …`.
    public var description: String {
        let location = property.map { "\(entity).\($0): " } ?? (entity.isEmpty ? "" : "\(entity): ")
        return location + detail
    }
}
