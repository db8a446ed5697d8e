import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Random events on real contexts and on a naive graph, which must agree after each.
///
/// `CAIRN_SEQUENCES` sets how many sequences each engine runs, `CAIRN_SEED` the first one's seed.
@Suite struct `Contexts and a naive graph` {
    private static let count = TestSetting.number("CAIRN_SEQUENCES") ?? 1000
    private static let firstSeed = TestSetting.number("CAIRN_SEED") ?? 1
    private static let chunks = 20

    @Test(arguments: everyEngine, 0..<chunks)
    func `agree after every event of a random sequence`(_ engine: StoreType, _ chunk: Int) throws {
        let store = try NoteStore(engine)
        for seed in Self.seeds(ofChunk: chunk) {
            guard let failure = Sequence(seed: seed, on: engine).run(in: store) else { continue }

            Issue.record("seed \(seed), \(engine): \(failure)")
            return
        }
    }

    private static func seeds(ofChunk chunk: Int) -> Range<Int> {
        let place = { chunk in firstSeed + count * chunk / chunks }
        return place(chunk)..<place(chunk + 1)
    }

    /// What the real contexts are made to do wrong.
    struct Defect: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What is done instead of an action. `nil` if there is nothing.
        let distort: @Sendable (GraphAction) -> GraphAction?
    }

    static let defects: [Defect] = [
        Defect(testDescription: "a context ignores an undo") { $0 == .undo ? nil : $0 },
        Defect(testDescription: "a parent loses what its child saves") {
            $0 == .saveChild ? .dropChild : $0
        },
        Defect(testDescription: "a context's values trump where the store's should") { action in
            guard case .elsewhere(let edits, .storeTrump, let conflicts) = action else {
                return action
            }
            return .elsewhere(edits, .objectTrump, conflicts: conflicts)
        },
    ]

    @Test(arguments: defects)
    func `disagree where there is a defect, in a sequence that is made short`(
        _ defect: Defect
    ) throws {
        let store = try NoteStore(.inMemory)
        let failures = (1...200).lazy.compactMap { seed in
            var sequence = Sequence(seed: seed, on: .inMemory)
            sequence.distort = defect.distort
            return sequence.run(in: store)
        }

        let failure = try #require(failures.first)

        // Something to do wrong, in the right place, and what goes wrong.
        #expect(failure.events.count <= 4)
    }
}

/// Events to run on one engine.
struct Sequence {
    private static let eventCount = 40
    /// Opening a store again costs as much as half a sequence.
    private static let sequencesPerReopening = 10

    private let seed: Int
    private let events: [GraphEvent]
    private let engine: StoreType
    /// What is done instead of an action: a planted defect. `nil` if nothing is done.
    var distort: (GraphAction) -> GraphAction? = { $0 }

    init(seed: Int, on engine: StoreType) {
        var random = SeededRandom(seed: UInt64(seed))
        self.seed = seed
        self.engine = engine
        events = GraphEvent.sequence(Self.eventCount, using: &random)
    }

    /// A sequence that does not agree.
    struct Failure: CustomStringConvertible {
        let reason: String
        let events: [GraphEvent]

        var description: String {
            let lines = events.map { "\n    \($0)" }.joined()
            return "\(reason)\n\(events.count) events:\(lines)"
        }
    }

    /// Runs the events. Returns `nil` if all agreed, and otherwise the shortest sequence that does not,
    /// in a store of its own.
    func run(in store: NoteStore) -> Failure? {
        guard let reason = failure(of: events, in: store) else { return nil }
        let short = Shrinker { failureInNewStore(of: $0) != nil }.shrink(events)
        return Failure(reason: failureInNewStore(of: short) ?? reason, events: short)
    }

    private func failureInNewStore(of events: [GraphEvent]) -> String? {
        do {
            return failure(of: events, in: try NoteStore(engine))
        } catch {
            return "\(error)"
        }
    }

    private func failure(of events: [GraphEvent], in store: NoteStore) -> String? {
        do {
            try replay(events, in: store)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func replay(_ events: [GraphEvent], in store: NoteStore) throws {
        var naive = NaiveWorld()
        // Of two sequences, one has objects with classes.
        let real = try RealWorld(store, isTyped: seed % 2 == 1)
        for event in events {
            guard let action = naive.apply(event) else { continue }
            do {
                if let action = distort(action) { try real.apply(action) }
                try real.check(against: naive)
            } catch {
                throw Disagreement("\(error)\nafter \(action)")
            }
        }
        try real.checkStore(
            against: naive.stored, reopens: seed % Self.sequencesPerReopening == 0)
    }
}
