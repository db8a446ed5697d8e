/// The description of an attribute, from which a model is compiled.
public struct AttributeDescription: Sendable, Hashable {
    /// The name, which is case-sensitive and unique among the entity's properties, including inherited ones.
    /// It is part of the version hash.
    public var name: String
    /// The type of the values, which determines the form in which stores save them.
    public var type: AttributeType
    /// Whether `nil` passes validation. The default is `true`, as in Core Data.
    public var isOptional = true
    /// Whether the value exists only in memory and is never saved.
    public var isTransient = false
    /// The initial value in a new object. `.null` means `nil`.
    public var defaultValue = Value.null
    /// Rules that are checked before each save, in this order. All violations are reported.
    public var validationRules: [ValidationRule] = []
    /// The default value and the bounds in a source model that are not values of the type, by their names
    /// there, such as `defaultValueString`. They have no effect, and ``ModelLinter`` names them.
    package var unreadableValues: [String: String] = [:]
    /// The expression from which the store computes the value, or `nil` if the attribute is not derived.
    public var derivation: Derivation?
    /// The name of the composite that describes the elements, or `nil` unless `type` is `.composite`.
    public var compositeName: String?
    /// The name of the registered transformer of a transformable attribute. If `nil`, the default transformer
    /// is used.
    public var valueTransformerName: String?
    /// The class that generated accessors return, such as `UIColor`. Cairn does not use it.
    public var valueClassName: String?
    /// Whether generated accessors use the scalar type. Cairn does not use it.
    public var usesScalarValueType = false
    /// Whether large values may be saved in files next to the store.
    public var allowsExternalBinaryDataStorage = false
    /// Whether the value of a deleted object is kept in the persistent history.
    public var preservesValueInHistoryOnDeletion = false
    /// Whether the attribute is indexed, in the older form. Newer models use ``FetchIndexDescription``.
    public var isIndexed = false
    /// Whether Core Data lets Spotlight index the values. Only preserved in model files.
    public var isIndexedBySpotlight = false
    /// Whether a store that mirrors its content to a server includes the attribute. No engine of Cairn uses
    /// it. The default is `true`, as in Core Data.
    package var isSyncable = true
    /// Whether a mirroring store encrypts the value on the server. Only preserved in model files.
    public var allowsCloudEncryption = false
    /// The name in the previous version of the model, or `nil` if the name is the same.
    public var renamingIdentifier: String?
    /// Text that is added to the version hash, in order to change it even if nothing else differs.
    public var versionHashModifier: String?
    /// Additional information from the author. It is preserved in every file format of models and has no
    /// other effect.
    public var userInfo: [String: String] = [:]

    /// Creates an attribute that is optional, persistent and without a default value.
    public init(_ name: String, _ type: AttributeType) {
        self.name = name
        self.type = type
    }

    /// Creates an attribute with the most common settings.
    ///
    /// - Parameters:
    ///   - name: The name, which must be unique among the entity's properties.
    ///   - type: The type of the values.
    ///   - isOptional: Whether `nil` passes validation.
    ///   - defaultValue: The initial value in a new object. `.null` means `nil`.
    ///   - validationRules: Rules that are checked before each save.
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

extension AttributeDescription {
    /// The key of ``userInfo`` that makes an attribute a reference.
    ///
    /// Its value is the entity of the objects that references lead to, followed by the unique attribute that
    /// identifies them: `Species.code`. If no attribute follows, the URIs of the objects identify them.
    package static let referenceKey = "CairnReference"

    /// The names of the entity and the attribute in ``referenceKey``, or `nil` if the attribute is no reference.
    /// The attribute's name is `nil` for a reference by URI.
    package var referenceNames: (entity: String, attribute: String?)? {
        guard !userInfo.isEmpty, let text = userInfo[Self.referenceKey] else { return nil }
        let names = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(names[0]), names.count > 1 ? String(names[1]) : nil)
    }

    /// Makes the attribute a reference. See ``referenceKey``.
    package mutating func refer(to entity: String, by attribute: String?) {
        userInfo[Self.referenceKey] = [entity, attribute].compactMap(\.self).joined(separator: ".")
    }
}

/// A condition that a value must meet to be saved.
///
/// Each case documents the code of the validation error.
public enum ValidationRule: Sendable, Hashable {
    /// The smallest number or date that is allowed. Code 1620, or 1640 for dates.
    case minimum(Value)
    /// The largest number or date that is allowed. Code 1610, or 1630 for dates.
    case maximum(Value)
    /// The minimum number of characters. Code 1670.
    case minimumLength(Int)
    /// The maximum number of characters. Code 1660.
    case maximumLength(Int)
    /// An ICU regular expression that must match the whole string. Code 1680.
    case matches(regularExpression: String)
    /// A predicate on the value (`SELF`), and the message for the case that it is false.
    case predicate(FetchPredicate, warning: String)
}

/// The rule by which a derived attribute is computed from other properties of its object.
public struct Derivation: Sendable, Hashable {
    /// The expression in predicate syntax, such as `canonical:(name)`, `tags.@count`, `now()`,
    /// `pages.@sum.number` or `author.name`.
    public var expression: String
    /// A condition on the members that a to-many derivation counts. If `nil`, all members count.
    public var filter: FetchPredicate?

    /// Creates a derivation from the text of an expression.
    ///
    /// The expression is parsed and checked against the declaring entity when the model is compiled. An empty
    /// expression means that its form is not supported; the attribute then keeps its current value.
    public init(expression: String, filter: FetchPredicate? = nil) {
        self.expression = expression
        self.filter = filter
    }
}
