import CairnModel

/// A rule of the model that an object breaks.
public struct ValidationFailure: Error, Sendable, Hashable {
    /// Core Data's code (`CoreDataErrors.h`), such as 1570 for a missing value or 1610 for a number that
    /// is too large.
    public var code: Int
    /// The ID of the object that breaks the rule. It is a temporary ID if the object was never saved.
    public var object: ObjectID
    /// The name of the object's own entity, even if the rule is inherited.
    public var entity: String
    /// The name of the property. `nil` if the rule concerns the object as a whole.
    public var property: String?
    /// The rule's requirement. Never contains the value.
    public var rule: String

    /// Creates a failure. Failures are created by the checks before a save, and by programs for rules
    /// that the model cannot express.
    public init(code: Int, object: ObjectID, entity: String, property: String?, rule: String) {
        self.code = code
        self.object = object
        self.entity = entity
        self.property = property
        self.rule = rule
    }
}
