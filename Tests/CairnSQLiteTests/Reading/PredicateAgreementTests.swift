import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `SQL and the evaluator` {
    @Test func `agree on random predicates over a store full of edge cases`() throws {
        let seed = SeededRandom.seed(of: "random predicates")
        let store = try EdgeCaseStore.make(seed: seed)
        var agreement = try PredicateAgreement(store)

        for entity in store.model.entities {
            try agreement.compare(entity, seed: seed &+ UInt64(entity.number.rawValue), count: 400)
        }

        #expect(agreement.differences.prefix(3) == [], "CAIRN_SEED=\(seed)")
        #expect(agreement.boundCount > 1000)
        // Most predicates are evaluated by SQL, and many of them select some rows but not all.
        #expect(agreement.translatedCount * 10 > agreement.boundCount * 6)
        #expect(agreement.tellingCount * 10 > agreement.boundCount * 4)
    }

    @Test(.enabled(if: Corpus.isThere))
    func `agree on random predicates over the stores of the corpus`() throws {
        let seed = SeededRandom.seed(of: "random predicates over the corpus")
        var bound = 0

        for path in Corpus.wholeStorePaths {
            guard let store = try ReadStore(corpus: path) else { continue }
            var agreement = try PredicateAgreement(store)
            for entity in store.model.entities {
                let rows = try store.snapshot().count(FetchPlan(entity: entity)) ?? 0
                // The evaluator examines rows one by one, so large tables get fewer predicates.
                let seed = seed &+ UInt64(entity.number.rawValue)
                try agreement.compare(entity, seed: seed, count: rows > 1000 ? 2 : 25)
            }
            #expect(agreement.differences.prefix(3) == [], "\(path) CAIRN_SEED=\(seed)")
            bound += agreement.boundCount
        }

        #expect(bound > 300)
    }
}
