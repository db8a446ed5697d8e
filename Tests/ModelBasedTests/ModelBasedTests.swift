import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Random events on real contexts and on a naive graph. The two must agree after each event.
///
/// `CAIRN_SEED` sets the seed of the first sequence.
@Suite struct `Contexts and a naive graph` {
    private static let count = 250 * TestSetting.scale
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
        let start = { chunk in firstSeed + count * chunk / chunks }
        return start(chunk)..<start(chunk + 1)
    }

    /// An error that is introduced into the real contexts.
    struct Defect: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Returns the action that replaces the given action, or `nil` to skip it.
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
    func `disagree if there is a defect, in a sequence that is then shortened`(
        _ defect: Defect
    ) throws {
        let store = try NoteStore(.inMemory)
        let failures = (1...200).lazy.compactMap { seed in
            var sequence = Sequence(seed: seed, on: .inMemory)
            sequence.distort = defect.distort
            return sequence.run(in: store)
        }

        let failure = try #require(failures.first)

        // A shrunk sequence needs only a few events to set up, trigger and reveal the defect.
        #expect(failure.events.count <= 4)
    }
}

/// A sequence of events to run on one engine.
struct Sequence {
    private static let eventCount = 40
    /// The number of sequences after which the store is reopened. Reopening costs as much as half a sequence.
    private static let sequencesPerReopening = 10

    private let seed: Int
    private let events: [GraphEvent]
    private let engine: StoreType
    /// Returns the action that replaces an action, to plant a defect, or `nil` to skip the action.
    var distort: (GraphAction) -> GraphAction? = { $0 }

    init(seed: Int, on engine: StoreType) {
        var random = SeededRandom(seed: UInt64(seed))
        self.seed = seed
        self.engine = engine
        events = GraphEvent.sequence(Self.eventCount, using: &random)
    }

    /// A sequence in which the contexts and the graph disagree.
    struct Failure: CustomStringConvertible {
        let reason: String
        let events: [GraphEvent]

        var description: String {
            let lines = events.map { "\n    \($0)" }.joined()
            return "\(reason)\n\(events.count) events:\(lines)"
        }
    }

    /// Runs the events. Returns `nil` if everything agreed. Otherwise returns the shortest sequence that
    /// still disagrees in a new store.
    func run(in store: NoteStore) -> Failure? {
        guard let reason = failure(of: events, in: store) else { return nil }
        let short = Shrinker { failureInNewStore(of: $0) != nil }.shrinkWithEdits(events)
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
        let real = try RealWorld(store)
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
