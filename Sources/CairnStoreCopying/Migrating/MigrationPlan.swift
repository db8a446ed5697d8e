import CairnModel
import CairnStore

/// What a migration of a store will do, or did.
public struct MigrationPlan: Sendable {
    /// How one stage changes the store.
    public enum Method: Sendable, Hashable {
        /// The engine changes the store itself, in one transaction. The texts say how, for people.
        case inPlace(steps: [String])
        /// All objects are copied to a new store, which then takes the name of the old one.
        case copy
    }

    /// One migration between two versions of the model.
    public struct Stage: Sendable {
        /// The version that the stage begins with.
        public var source: ManagedObjectModel
        /// The version that the stage leads to.
        public var destination: ManagedObjectModel
        /// What changes.
        public var changes: ModelChanges
        /// What can be inferred from the changes: conditions and losses among it.
        public var verdict: InferenceVerdict
        /// How the stage changes the store. An engine that changes stores in place may still decline
        /// when it sees the content; the store is copied then.
        public var method: Method

        /// Which entities and properties of the two versions are the same.
        var correspondence: ModelCorrespondence {
            ModelCorrespondence(from: source, to: destination)
        }
    }

    /// The store.
    public var location: StoreLocation
    /// The migrations, in their order. Empty if the store fits the model.
    public var stages: [Stage]
    /// How many bytes of free space the migration needs, without the backup. 0 if it changes the store
    /// in place.
    public var neededByteCount: Int64

    /// Describes what is done to a store.
    public init(location: StoreLocation, stages: [Stage], neededByteCount: Int64 = 0) {
        self.location = location
        self.stages = stages
        self.neededByteCount = neededByteCount
    }

    /// Whether the store has to be migrated.
    public var isNeeded: Bool { !stages.isEmpty }
}

extension MigrationPlan: CustomStringConvertible {
    /// The plan in words, one line for each change, condition, loss and step.
    public var description: String {
        guard isNeeded else {
            return "The store \(location) fits the model. Nothing is to be done."
        }
        var lines: [String] = []
        for (index, stage) in stages.enumerated() {
            if stages.count > 1 { lines.append("Stage \(index + 1) of \(stages.count)") }
            lines.append("Changes:")
            lines += stage.changes.description.split(separator: "\n").map { "  \($0)" }
            lines += Self.section("What the objects must fulfil:", stage.verdict.conditions)
            lines += Self.section("What is lost:", stage.verdict.losses)
            lines += Self.section("What is not checked:", stage.verdict.uncheckedRules)
            lines += Self.section("What Core Data would refuse:", stage.verdict.extensions)
            switch stage.method {
            case .inPlace(let steps):
                lines.append("The store is changed in place, in one transaction:")
                lines += steps.map { "  \($0)" }
            case .copy:
                lines.append("All objects are copied to a new store, which then replaces this one.")
            }
        }
        if neededByteCount > 0 { lines.append("Free space needed: \(neededByteCount) bytes.") }
        return lines.joined(separator: "\n")
    }

    private static func section(_ title: String, _ findings: [InferenceFinding]) -> [String] {
        findings.isEmpty ? [] : [title] + findings.map { "  \($0)" }
    }
}
