import CairnModel
import CairnStore

/// One rule of the model that an object breaks.
public struct ValidationFailure: Error, Sendable, Hashable {
    /// Core Data's code (`CoreDataErrors.h`): 1570 missing value, 1610 number too large, ….
    public var code: Int
    /// The ID of the object that breaks the rule. It is a temporary ID if the object was never saved.
    public var object: ObjectID
    /// Name of the object's own entity, though the rule may be inherited.
    public var entity: String
    /// The name of the property. `nil` if the rule concerns the object as a whole.
    public var property: String?
    /// What the rule asks for; never the value itself.
    public var rule: String

    /// Made by the checks before a save, and by an application's own for what the model cannot say.
    public init(code: Int, object: ObjectID, entity: String, property: String?, rule: String) {
        self.code = code
        self.object = object
        self.entity = entity
        self.property = property
        self.rule = rule
    }
}
