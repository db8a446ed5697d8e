/// Keys of our own, for values that Core Data's archives cannot express. `NSKeyedUnarchiver`
/// ignores keys that a class does not ask for, so Core Data reads such an archive as any other.
enum ArchiveKey {
    static let isNotSyncable = "CairnIsNotSyncable"
    static let usesScalarValueType = "CairnUsesScalarValueType"
    /// The class of a value that a named transformer makes.
    static let valueClassName = "CairnValueClassName"
    static let compositeName = "CairnCompositeName"
    static let composites = "CairnComposites"
    /// Text of an expression that the archived expression does not give back.
    static let expressionText = "CairnExpressionText"
    /// Set on `NOT (ANY …)` where the author wrote `NONE`.
    static let isNone = "CairnIsNone"
    /// Text and reason of a predicate that could not be read.
    static let unreadableText = "CairnUnreadableText"
    static let unreadableReason = "CairnUnreadableReason"
}
