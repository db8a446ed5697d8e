import CairnModel
import CairnStore

/// A description of what a migration of a store will do or has done.
public struct MigrationPlan: Sendable {
    /// The ways in which a stage changes the store.
    public enum Method: Sendable, Hashable {
        /// The engine changes the store itself, in one transaction. The strings describe the steps
        /// for people.
        case inPlace(steps: [String])
        /// All objects are copied to a new store, which then replaces the old one.
        case copy
    }

    /// A migration between two versions of the model.
    public struct Stage: Sendable {
        /// The version before the stage.
        public var source: ManagedObjectModel
        /// The version after the stage.
        public var destination: ManagedObjectModel
        /// The changes between the two versions.
        package var changes: ModelChanges
        /// The result of inferring the migration from the changes, including its conditions and
        /// losses.
        package var verdict: InferenceVerdict
        /// How the stage changes the store. An engine that can change stores in place may still
        /// decline because of the content. The store is then copied.
        public var method: Method

        /// Which entities and properties of the two versions are the same.
        var correspondence: ModelCorrespondence {
            ModelCorrespondence(from: source, to: destination)
        }
    }

    /// The location of the store to migrate.
    public var location: StoreLocation
    /// The stages, in the order in which they are executed. Empty if the store already fits the
    /// model.
    public var stages: [Stage]
    /// Why the store is not migrated directly, but through other versions: what a direct migration
    /// would do differently, or why it cannot be inferred. Empty if it is migrated directly.
    package var reasonsForStages: [InferenceFinding] = []
    /// The free space in bytes that the migration needs, without the backup. 0 if the store is
    /// changed in place.
    public var neededByteCount: Int64

    /// Creates a plan. By default, no free space is needed.
    package init(location: StoreLocation, stages: [Stage], neededByteCount: Int64 = 0) {
        self.location = location
        self.stages = stages
        self.neededByteCount = neededByteCount
    }

    /// Whether the store has to be migrated.
    public var isNeeded: Bool { !stages.isEmpty }
}

extension MigrationPlan: CustomStringConvertible {
    /// The plan in words, with one line for each change, condition, loss and step.
    public var description: String {
        guard isNeeded else {
            return "The store \(location) already matches the model. There is nothing to do."
        }
        var lines = Self.section(
            "The store is migrated version by version, because of a direct migration:",
            reasonsForStages)
        for (index, stage) in stages.enumerated() {
            if stages.count > 1 { lines.append("Stage \(index + 1) of \(stages.count)") }
            lines.append("Changes:")
            lines += stage.changes.description.split(separator: "\n").map { "  \($0)" }
            lines += Self.section("Must be true for the stored objects:", stage.verdict.conditions)
            lines += Self.section("Will be lost:", stage.verdict.losses)
            lines += Self.section("Will not be checked:", stage.verdict.uncheckedRules)
            lines += Self.section("Core Data would refuse:", stage.verdict.extensions)
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
