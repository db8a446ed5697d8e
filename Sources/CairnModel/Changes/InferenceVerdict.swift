/// What a migration that is inferred from two versions of a model can do, and what it cannot.
///
/// The judgement needs no store. What depends on the stored objects is a condition.
public struct InferenceVerdict: Sendable, Hashable {
    /// Changes that cannot be inferred, with what to do about each.
    public var refusals: [InferenceFinding] = []
    /// Changes that Cairn infers and that Core Data would refuse.
    public var extensions: [InferenceFinding] = []
    /// What must hold for the stored objects, or the migration fails and leaves the store as it was.
    public var conditions: [InferenceFinding] = []
    /// The contents of the old store that the new one will not have.
    public var losses: [InferenceFinding] = []
    /// Rules of the new model that a migration does not check. An object that breaks one migrates as it
    /// is, and cannot be saved after a change until it follows the rule.
    public var uncheckedRules: [InferenceFinding] = []

    /// Whether a migration can be inferred.
    public var isPossible: Bool { refusals.isEmpty }
    /// Whether Core Data would infer a migration, too.
    public var isPossibleInCoreData: Bool { refusals.isEmpty && extensions.isEmpty }

    /// Judges what changed between two versions of a model.
    public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self.init(ModelChanges(from: old, to: new), from: old, to: new)
    }

    /// Judges changes that are known already.
    ///
    /// - Precondition: `changes` are those between the two models.
    public init(
        _ changes: ModelChanges, from old: ManagedObjectModel, to new: ManagedObjectModel
    ) {
        var judge = InferenceJudge(changes, from: old, to: new)
        self = judge.verdict()
    }

    init() {}
}
