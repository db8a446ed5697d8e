/// An attribute as its author declares it.
public struct AttributeDescription: Sendable, Hashable {
    /// Unique among the entity's properties, inherited ones included; case matters. Enters the
    /// version hash.
    public var name: String
    /// What values the attribute takes, and so the form in which stores keep them.
    public var type: AttributeType
    /// Whether nil passes validation. Core Data's default: true.
    public var isOptional = true
    /// Whether the value lives in memory only and never reaches a store.
    public var isTransient = false
    /// What a new object starts with; `.null` for nil.
    public var defaultValue = Value.null
    /// Checked before each save, in this order; all violations are reported.
    public var validationRules: [ValidationRule] = []
    /// How the store computes the value. `nil` for an ordinary attribute.
    public var derivation: Derivation?
    /// The name of the composite that describes the elements. `nil` unless `type` is `.composite`.
    public var compositeName: String?
    /// The name of the registered transformer of a transformable attribute. `nil` means the default
    /// one.
    public var valueTransformerName: String?
    /// Class that the generated accessor shows (`UIColor`, …); informational.
    public var valueClassName: String?
    /// Whether generated accessors use the scalar form; informational.
    public var usesScalarValueType = false
    /// Whether large values may be kept in files beside the store.
    public var allowsExternalBinaryDataStorage = false
    /// Whether the value of a deleted object is kept in the persistent history.
    public var preservesValueInHistoryOnDeletion = false
    /// The older per-attribute index flag; newer models use ``FetchIndexDescription``.
    public var isIndexed = false
    /// Whether Core Data lets Spotlight index the values; kept for the model's file forms.
    public var isIndexedBySpotlight = false
    /// Whether a store that mirrors to a server takes the attribute along; no engine here asks.
    /// Core Data's default: true.
    public var isSyncable = true
    /// Whether a mirroring store encrypts the value on the server; kept for the model's file forms.
    public var allowsCloudEncryption = false
    /// The name that the previous version of the model used. `nil` if the name is the same.
    public var renamingIdentifier: String?
    /// Text that changes the version hash although nothing else did. `nil` if there is none.
    public var versionHashModifier: String?
    /// The author's own texts; kept in every form of the model and read by nothing here.
    public var userInfo: [String: String] = [:]

    /// Declares an attribute that is optional, persistent and without a default.
    public init(_ name: String, _ type: AttributeType) {
        self.name = name
        self.type = type
    }

    /// Declares an attribute with the settings that models use most.
    ///
    /// - Parameters:
    ///   - isOptional: whether nil passes validation.
    ///   - defaultValue: the initial value in a new object. `.null` means that there is no initial
    ///     value.
    ///   - validationRules: checked before each save.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool,
        defaultValue: Value = .null, validationRules: [ValidationRule] = []
    ) {
        self.init(name, type)
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.validationRules = validationRules
    }
}
