import Cairn
import CairnStoreCopying
import CairnTestSupport
import GraphSupport
import MigrationSupport
import Foundation
import MigrationSupport
import Testing

/// Every pair of versions of every versioned model in the corpus. A store of the earlier version is either
/// migrated to the later version, or refused with reasons.
///
/// `script/verify --long` tries all pairs on all engines; otherwise it is a sample.
@Suite(.enabled(if: Corpus.isThere)) struct `Versions of real models` {
    /// Two versions of a model, the earlier version first.
    struct Pair: Sendable, CustomTestStringConvertible {
        let location: URL
        let old: String
        let new: String
        let number: Int

        var testDescription: String { "\(location.lastPathComponent): \(old) → \(new)" }
    }

    static let models: [URL] = Corpus.all { url in
        ["xcdatamodeld", "momd"].contains(url.pathExtension)
            && ((try? VersionedModel(contentsOf: url))?.names.count ?? 0) > 1
    }

    private static let pairs: [Pair] = models.flatMap { location -> [Pair] in
        let names = (try? VersionedModel(contentsOf: location))?.names ?? []
        return names.indices.flatMap { new in
            names.indices.prefix(new).map { old in (names[old], names[new]) }
        }.enumerated().map { number, pair in
            Pair(location: location, old: pair.0, new: pair.1, number: number)
        }
    }

    private static let tried: [(pair: Pair, type: StoreType)] = {
        let all = pairs.flatMap { pair in everyFileEngine.map { (pair: pair, type: $0) } }
        if TestSetting.isLong { return all }
        return all.enumerated().filter { $0.offset % 13 == 0 }.map(\.element)
    }()

    @Test func `are migrated, or refused with reasons`() throws {
        var (migrated, refused, contradicted) = (0, 0, 0)
        var models: [URL: VersionedModel] = [:]
        for (pair, type) in Self.tried {
            let model = try models[pair.location] ?? VersionedModel(contentsOf: pair.location)
            models[pair.location] = model
            let old = try #require(model.versions[pair.old])
            let new = try #require(model.versions[pair.new])
            if !ModelChanges(from: old, to: new).requiresMigration { continue }
            let trial = try MigrationTrial(type, from: old, to: new)
            let verdict = InferenceVerdict(from: old, to: new)
            do {
                try trial.run(allowsInPlace: true, seed: UInt64(pair.number))
                #expect(verdict.isPossible, "\(pair.testDescription)")
                migrated += 1
            } catch StoreCopyError.store(.migrationRefused(_, let findings)) {
                #expect(!findings.isEmpty)
                if verdict.isPossible {
                    // The objects violate a condition of the new version.
                    #expect(!verdict.conditions.isEmpty, "\(pair.testDescription): \(findings)")
                    contradicted += 1
                } else {
                    #expect(findings == verdict.refusals)
                    refused += 1
                }
                let store = try trial.open(old)
                try store.close()
            } catch {
                Issue.record("\(type), \(pair.location.path), \(pair.testDescription): \(error)")
            }
        }
        print(
            "\(Self.pairs.count) pairs of versions; \(Self.tried.count) tried on an engine:"
                + " \(migrated) migrated, \(refused) refused, \(contradicted) contradicted by objects"
        )
        #expect(migrated > 0)
        #expect(refused > 0)
    }

    @Test func `are reached through all versions in between`() throws {
        var (steps, chains) = (0, 0)
        for location in TestSetting.isLong ? Self.models : Array(Self.models.prefix(6)) {
            let history = try ModelHistory(contentsOf: location)
            for type in TestSetting.isLong ? everyFileEngine : [.sqlite, .binary] {
                guard let first = history.versions.first?.model else { continue }
                let folder = try TemporaryFolder()
                var trial = try MigrationTrial(type, from: first, to: first, in: folder)
                _ = try trial.make()
                for version in history.versions.dropFirst() {
                    let next = try MigrationTrial(
                        type, from: trial.new, to: version.model, in: folder)
                    if !ModelChanges(from: trial.new, to: version.model).requiresMigration {
                        continue
                    }
                    let before = try trial.image()
                    do {
                        _ = try next.migration(allowsInPlace: true).run { _ in .proceed }
                    } catch StoreCopyError.store(.migrationRefused) {
                        break
                    }
                    let oracle = MigrationOracle(from: trial.new, to: version.model)
                    let differences = oracle.comparable(try next.image())
                        .differences(from: oracle.migrated(before))
                    #expect(differences == [], "\(type), \(location.path), \(version.name)")
                    trial = next
                    steps += 1
                }
                chains += 1
            }
        }
        print("\(chains) chains of versions, \(steps) migrations")
        #expect(steps > 0)
    }
}
