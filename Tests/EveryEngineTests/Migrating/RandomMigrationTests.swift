import Cairn
import CairnStoreCopying
import CairnTestSupport
import GraphSupport
import MigrationSupport
import Testing

/// Models that are created and changed at random.
@Suite struct `Random migrations` {
    /// The way in which a store is migrated.
    private struct Way {
        let type: StoreType
        let isInPlace: Bool

        static let all: [Way] =
            [Way(type: .sqlite, isInPlace: true)]
            + everyFileEngine.map { Way(type: $0, isInPlace: false) }
    }

    private static let count: Int = 12 * TestSetting.scale

    @Test func `keep every object, or are refused and change nothing`() throws {
        let first = SeededRandom.seed(of: "Random migrations")
        var outcomes: [String: Int] = [:]
        for offset in 0..<UInt64(Self.count) {
            let outcome = try Self.run(seed: first &+ offset)
            outcomes[outcome, default: 0] += 1
        }
        let counts: [String] = outcomes.keys.sorted().map { "\($0) \(outcomes[$0] ?? 0)" }
        print("Random migrations: " + counts.joined(separator: ", "))
    }

    /// An entity leaves the hierarchy of a many-to-many relationship's destination, but not that of its root.
    @Test func `leave out members that no longer fit`() throws {
        #expect(try Self.run(seed: 911_657_479_778_330_917) == "migrated")
    }

    private static func run(seed: UInt64) throws -> String {
        var random = RandomModel(seed: seed)
        guard let old = try? ManagedObjectModel(random.entities) else { return "no model" }
        random.change()
        guard let new = try? ManagedObjectModel(random.entities) else { return "no new model" }
        guard ModelChanges(from: old, to: new).requiresMigration else { return "no change" }
        let verdict = InferenceVerdict(from: old, to: new)
        guard verdict.isPossible else { return "refused" }
        var outcome = "migrated"
        for way in Way.all {
            let words = "seed \(seed), \(way): \(random.log)"
            do {
                let trial = try MigrationTrial(way.type, from: old, to: new)
                if try !check(trial, verdict, way.isInPlace, seed, words) {
                    outcome = "condition not met"
                }
            } catch {
                Issue.record("\(words): \(error)")
            }
        }
        return outcome
    }

    @Test func `over several versions give the values of each step`() throws {
        let first = SeededRandom.seed(of: "Random migrations over several versions")
        var outcomes: [String: Int] = [:]
        for offset in 0..<UInt64(4 * Self.count) {
            let outcome = try Self.runThroughVersions(seed: first &+ offset)
            outcomes[outcome, default: 0] += 1
        }
        let counts: [String] = outcomes.keys.sorted().map { "\($0) \(outcomes[$0] ?? 0)" }
        print("Random migrations over several versions: " + counts.joined(separator: ", "))
    }

    private static func runThroughVersions(seed: UInt64) throws -> String {
        var random = RandomModel(seed: seed)
        var versions: [ManagedObjectModel] = []
        var log: [[String]] = []
        for _ in 0..<4 {
            guard let model = try? ManagedObjectModel(random.entities) else { return "no model" }
            versions.append(model)
            random.change()
            log.append(random.log)
        }
        let steps = Array(zip(versions, versions.dropFirst()))
        guard steps.allSatisfy({ ModelChanges(from: $0, to: $1).requiresMigration }),
            Set(versions.map(\.versionHashesDigest)).count == versions.count
        else { return "no change" }
        guard steps.allSatisfy({ InferenceVerdict(from: $0, to: $1).isPossible }) else {
            return "refused"
        }
        var outcome = "migrated"
        for way in Way.all {
            let words = "seed \(seed), \(way): \(log)"
            let trial = try MigrationTrial(way.type, from: versions[0], to: versions[3])
            let before = try trial.make(seed: seed)
            var migration = try trial.migration(allowsInPlace: way.isInPlace)
            migration.history = ModelHistory(
                versions: versions.map { ModelHistory.Version(name: "", model: $0) })
            let run = Result { () throws(StoreCopyError) in try migration.run { _ in .proceed } }
            if case .failure(.store(.migrationRefused)) = run { return "condition not met" }
            do {
                let plan = try run.get()
                if plan.stages.count > 1 { outcome = "migrated through other versions" }
                let expected = steps.reduce(before) { image, step in
                    MigrationOracle(from: step.0, to: step.1).migrated(image)
                }
                #expect(try trial.image().differences(from: expected) == [], "\(words)")
            } catch {
                Issue.record("\(words): \(error)")
            }
        }
        return outcome
    }

    /// A to-one relationship is added whose inverse was pulled up from a subentity: several objects may lead to
    /// the same one.
    @Test func `are refused if a pulled-up relationship would get a to-one inverse`() throws {
        let seed: UInt64 = 8_465_794_181_536_058_595
        #expect(try Self.runThroughVersions(seed: seed) == "refused")
    }

    /// Checks a migration. Returns `false` if the objects violate a condition of the migration.
    private static func check(
        _ trial: MigrationTrial, _ verdict: InferenceVerdict, _ allowsInPlace: Bool, _ seed: UInt64,
        _ words: String
    ) throws -> Bool {
        let before = try trial.make(seed: seed)
        let migration = try trial.migration(allowsInPlace: allowsInPlace)
        let outcome = Result { () throws(StoreCopyError) in try migration.run { _ in .proceed } }
        if case .failure(.store(.migrationRefused)) = outcome, !verdict.conditions.isEmpty {
            try checkUntouched(trial, before, words)
            return false
        }
        _ = try outcome.get()
        let oracle = MigrationOracle(from: trial.old, to: trial.new)
        let after = try trial.image()
        let differences = oracle.comparable(after).differences(from: oracle.migrated(before))
        #expect(differences == [], "\(words)")
        // The loss of a required to-many relationship's members is announced but not prevented.
        let announced = verdict.uncheckedRules.compactMap(\.property).map { "." + $0 }
        let broken = oracle.brokenRequirements(before, after).filter { requirement in
            !announced.contains { requirement.hasSuffix($0) }
        }
        #expect(broken == [], "\(words)")
        return true
    }

    private static func checkUntouched(
        _ trial: MigrationTrial, _ before: StoreImage, _ words: String
    ) throws {
        let store = try trial.open(trial.old)
        let image = try StoreImage(store)
        try store.close()
        #expect(image == before, "\(words)")
    }
}
