import Cairn
import CairnStoreCopying
import CairnTestSupport
import MigrationSupport
import Testing

/// Models that are made and changed at random. `CAIRN_RANDOM_MIGRATIONS=1000` tries as many.
@Suite struct `Random migrations` {
    private static let count: Int = TestSetting.number("CAIRN_RANDOM_MIGRATIONS") ?? 40

    @Test func `keep every object, or are refused and change nothing`() throws {
        let first = SeededRandom.seed(of: "Random migrations")
        var outcomes: [String: Int] = [:]
        for offset in 0..<UInt64(Self.count) {
            let outcome = try Self.run(seed: first &+ offset)
            outcomes[outcome, default: 0] += 1
        }
        print("Random migrations: \(outcomes.sorted { $0.key < $1.key })")
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
        for (type, allowsInPlace) in [
            (StoreType.sqlite, true), (.sqlite, false), (.lmdb, false), (.xml, false),
            (.binary, false),
        ] {
            let words = "seed \(seed), \(type), in place \(allowsInPlace): \(random.log)"
            do {
                let trial = try MigrationTrial(type, from: old, to: new)
                if try !check(trial, verdict, allowsInPlace, seed, words) {
                    outcome = "condition not met"
                }
            } catch {
                Issue.record("\(words): \(error)")
            }
        }
        return outcome
    }

    /// Returns `false` if the objects do not fulfil a condition.
    private static func check(
        _ trial: MigrationTrial, _ verdict: InferenceVerdict, _ allowsInPlace: Bool, _ seed: UInt64,
        _ words: String
    ) throws -> Bool {
        let before = try trial.make(seed: seed)
        let migration = try trial.migration(allowsInPlace: allowsInPlace)
        do throws(StoreCopyError) {
            _ = try migration.run { _ in .goOn }
        } catch .store(.migrationRefused(_, let findings)) where !verdict.conditions.isEmpty {
            let store = try trial.open(trial.old)
            defer { try? store.close() }
            #expect(!findings.isEmpty, "\(words)")
            #expect(try StoreImage(store) == before, "\(words)")
            return false
        }
        let oracle = MigrationOracle(from: trial.old, to: trial.new)
        let after = try trial.image()
        let differences = oracle.comparable(after).differences(from: oracle.migrated(before))
        #expect(differences == [], "\(words)")
        #expect(oracle.brokenRequirements(before, after) == [], "\(words)")
        return true
    }
}
