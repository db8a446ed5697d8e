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
        /// The mapping model that the stage executes. `nil` if its mapping is inferred.
        package var mapping: MigrationRoute.Mapping?
        /// The code of the program that runs after the stage has migrated the objects.
        package var code: [ModelHistory.Code] = []
        /// How the stage changes the store. An engine that can change stores in place may still
        /// decline because of the content. The store is then copied.
        public var method: Method
        /// The names of the two versions. `nil` for a version that the program does not know.
        package var names: (source: String?, destination: String?) = (nil, nil)
        /// The number of objects of each entity before and after the stage, by name. Objects that policies and
        /// code create or delete are not counted. `nil` if the store was not read.
        package var counts: (before: [String: Int], after: [String: Int])?

        /// Adds the numbers of objects, given those before the stage. Returns those after it.
        mutating func count(_ before: [String: Int], _ steps: [InPlaceStep]) -> [String: Int] {
            var after: [String: Int] = [:]
            if let rules = mapping?.rules.rules {
                for rule in rules {
                    after[rule.destination.name, default: 0] += before[rule.source.name] ?? 0
                }
            } else {
                let models = correspondence
                for (name, count) in before {
                    guard let entity = source.entity(named: name).flatMap(models.newEntity) else {
                        continue
                    }
                    after[entity.name, default: 0] += count
                }
            }
            counts = (before, after)
            if case .inPlace = method {
                method = .inPlace(
                    steps: steps.map { step in
                        let names = step.entities.map(\.name)
                        return step.text
                            + (names.isEmpty
                                ? "" : " (\(names.compactMap { before[$0] }.sum.counted("row")))")
                    })
            }
            return after
        }

        /// A stage that only copies the old version.
        var unchanging: Self {
            Self(
                source: source, destination: source,
                changes: ModelChanges(from: source, to: source),
                verdict: InferenceVerdict(from: source, to: source), method: .copy)
        }

        /// Whether the program gives a mapping model or code for the stage.
        var isGiven: Bool { mapping != nil || !code.isEmpty }

        /// Whether objects are needed to execute the mapping model or the code.
        var needsObjects: Bool {
            !code.isEmpty || mapping?.rules.needsObjects ?? false
        }

        /// The entities of the new version whose rows are checked for required values as soon as they are
        /// copied.
        var checkedEntities: [Entity] {
            needsObjects ? [] : mapping?.rules.rules.map(\.destination) ?? []
        }

        /// The entities of the new version for whose objects code runs.
        var codedEntities: [Entity] {
            if code.isEmpty { return [] }
            let models = correspondence
            let coded = code.compactMap {
                $0.entity.flatMap(source.entity).flatMap(models.newEntity)
            }
            return destination.entities.filter { entity in coded.contains(where: entity.isKind) }
        }

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

    /// Whether the store cannot be copied directly to a store of the new version.
    var needsStages: Bool { !reasonsForStages.isEmpty || stages.contains(where: \.isGiven) }

    /// Whether the store has to be migrated.
    public var isNeeded: Bool { !stages.isEmpty }
}

extension MigrationPlan: CustomStringConvertible {
    /// The plan in words, with one line for each change, condition, loss and step. If the store could be read,
    /// steps whose time grows with the store name the number of objects or rows.
    public var description: String {
        guard isNeeded else {
            return "The store \(location) already matches the model. There is nothing to do."
        }
        var lines = Self.section(
            "The store is migrated version by version, because of a direct migration:",
            reasonsForStages)
        for (index, stage) in stages.enumerated() {
            if stages.count > 1 {
                lines.append("Stage \(index + 1) of \(stages.count)\(stage.title)")
            }
            lines.append("Changes:")
            lines += stage.changes.description.split(separator: "\n").map { "  \($0)" }
            if let mapping = stage.mapping {
                lines.append("The mapping model “\(mapping.name)” makes the objects:")
                lines += mapping.rules.rules.map {
                    "  \($0.name): from \($0.source.name)\(stage.counted($0.source.name)) to"
                        + " \($0.destination.name)"
                }
            }
            lines += Self.section("Must be true for the stored objects:", stage.verdict.conditions)
            lines += Self.section("Left to the program's code:", stage.verdict.leftToCode)
            lines += Self.section("Will be lost:", stage.verdict.losses)
            lines += Self.section("Will not be checked:", stage.verdict.uncheckedRules)
            lines += Self.section("Core Data would refuse:", stage.verdict.extensions)
            switch stage.method {
            case .inPlace(let steps):
                lines.append("The store is changed in place, in one transaction:")
                lines += steps.map { "  \($0)" }
            case .copy:
                lines.append("All objects are copied to a new store, which then replaces this one.")
                if let (before, after) = stage.counts {
                    lines.append(
                        "  \(before.values.sum.counted("object")) to read,"
                            + " \(after.values.sum.counted("object")) to write")
                }
            }
            for code in stage.code {
                lines.append(
                    code.entity.map {
                        "Code of the program runs for each object of \($0)\(stage.countedHierarchy($0))."
                    } ?? "Code of the program runs before and after this stage.")
            }
        }
        if neededByteCount > 0 { lines.append("Free space needed: \(neededByteCount) bytes.") }
        return lines.joined(separator: "\n")
    }

    private static func section(_ title: String, _ findings: [InferenceFinding]) -> [String] {
        findings.isEmpty ? [] : [title] + findings.map { "  \($0)" }
    }
}

extension MigrationPlan.Stage {
    /// The names of the versions, and why the store passes through this stage.
    fileprivate var title: String {
        let versions = [names.source, names.destination].compactMap(\.self)
        let reason =
            mapping.map { "because of the mapping model “\($0.name)”" }
            ?? (code.isEmpty ? "inferred" : "because of the program's code")
        return ": " + (versions.count == 2 ? "\(versions[0]) → \(versions[1]), " : "") + reason
    }

    /// Returns the number of objects of an entity before the stage, in words.
    fileprivate func counted(_ entity: String) -> String {
        counts.map { " (\(($0.before[entity] ?? 0).counted("object")))" } ?? ""
    }

    /// Returns the number of objects of an entity and its subentities before the stage, in words.
    fileprivate func countedHierarchy(_ entity: String) -> String {
        guard let counts, let root = source.entity(named: entity) else { return "" }
        let count = root.hierarchy.compactMap { counts.before[$0.name] }.sum
        return " (\(count.counted("object")))"
    }
}

extension Collection<Int> {
    fileprivate var sum: Int { reduce(0, +) }
}
