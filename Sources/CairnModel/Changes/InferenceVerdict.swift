/// The result of checking whether a migration between two versions of a model can be inferred.
///
/// The check does not need a store. Requirements on the stored objects are reported as conditions.
package struct InferenceVerdict: Sendable, Hashable {
    /// Changes that cannot be inferred, each with advice on what to do.
    package var refusals: [InferenceFinding] = []
    /// Changes that cannot be inferred, or only under a condition, but for which the step has code of the
    /// program. The properties begin without a value, or with their default value.
    package var leftToCode: [InferenceFinding] = []
    /// Changes that Cairn can infer but Core Data would refuse.
    package var extensions: [InferenceFinding] = []
    /// Conditions that the stored objects must meet. Otherwise, the migration fails and the store is left
    /// unchanged.
    package var conditions: [InferenceFinding] = []
    /// Whether one of the conditions is that every object has a value for a required property without a default
    /// value. Another way to the same version may give it values.
    package var demandsValues = false
    /// The contents of the old store that are lost in the new one.
    package var losses: [InferenceFinding] = []
    /// Rules of the new model that a migration does not check. An object that breaks one of them is migrated
    /// unchanged, but once it is changed, it cannot be saved until it follows the rule.
    package var uncheckedRules: [InferenceFinding] = []

    /// Whether a migration can be inferred.
    package var isPossible: Bool { refusals.isEmpty }
    /// Whether Core Data would also infer a migration.
    package var isPossibleInCoreData: Bool {
        refusals.isEmpty && leftToCode.isEmpty && extensions.isEmpty
    }

    /// Creates a verdict on the differences between two versions of a model.
    ///
    /// - Parameter coded: The names, in the new model, of the entities whose properties code of the program
    ///   sets.
    package init(
        from old: ManagedObjectModel, to new: ManagedObjectModel, coded: Set<String> = []
    ) {
        self.init(ModelChanges(from: old, to: new), from: old, to: new, coded: coded)
    }

    /// Creates a verdict on changes that were already computed.
    ///
    /// - Precondition: `changes` are the changes from `old` to `new`.
    package init(
        _ changes: ModelChanges, from old: ManagedObjectModel, to new: ManagedObjectModel,
        coded: Set<String> = []
    ) {
        var judge = InferenceChecker(changes, from: old, to: new, coded: coded)
        self = judge.verdict()
        for index in refusals.indices { refusals[index].isOfModels = true }
    }

    init() {}

    mutating func add(_ other: InferenceVerdict) {
        refusals += other.refusals
        leftToCode += other.leftToCode
        extensions += other.extensions
        conditions += other.conditions
        demandsValues = demandsValues || other.demandsValues
        losses += other.losses
        uncheckedRules += other.uncheckedRules
    }
}

/// One consequence of a migration without a mapping model for an entity or a property.
public struct InferenceFinding: Sendable, Hashable {
    /// The name of the entity in the new model, or in the old one if it was removed.
    public var entity: String
    /// The name of the property in the new model, or in the old one if it was removed. `nil` if the finding
    /// is about the entity itself.
    public var property: String?
    /// A clause without a full stop that gives the reason. For a refusal, it also says what to do.
    public var reason: String
    /// Whether the two models are the reason, whatever the store contains. Otherwise, objects of the store are.
    package var isOfModels = false

    /// Creates a finding about an entity, or about one of its properties, with a reason.
    package init(_ entity: String, _ property: String? = nil, _ reason: String) {
        self.entity = entity
        self.property = property
        self.reason = reason
    }
}

extension InferenceFinding: CustomStringConvertible {
    /// The entity, the property and the reason, such as `Book.title: it is required and …`.
    public var description: String {
        entity + (property.map { ".\($0)" } ?? "") + ": " + reason
    }
}
