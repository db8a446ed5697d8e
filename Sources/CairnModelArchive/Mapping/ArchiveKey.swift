/// Cairn's own keys, for values that Core Data's archives cannot represent. `NSKeyedUnarchiver` ignores
/// keys that a class does not ask for, so Core Data can still read these archives.
enum ArchiveKey {
    static let isNotSyncable = "CairnIsNotSyncable"
    static let usesScalarValueType = "CairnUsesScalarValueType"
    /// The class of the values that a named transformer produces.
    static let valueClassName = "CairnValueClassName"
    static let compositeName = "CairnCompositeName"
    static let composites = "CairnComposites"
    /// Default values and bounds of a source model that are not values of the type.
    static let unreadableValues = "CairnUnreadableValues"
    /// The original text of an expression, if it cannot be restored from the archived expression.
    static let expressionText = "CairnExpressionText"
    /// Set on `NOT (ANY …)` if the author wrote `NONE`.
    static let isNone = "CairnIsNone"
    /// The text of a predicate that could not be parsed, and the reason.
    static let unreadableText = "CairnUnreadableText"
    static let unreadableReason = "CairnUnreadableReason"
}
