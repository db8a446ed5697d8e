import Cairn
import CairnTestSupport
import Foundation
import Testing

/// Random events on real contexts and on a naive graph, which must agree after each.
///
/// `CAIRN_SEQUENCES` sets how many sequences each engine runs, `CAIRN_SEED` the first one's seed.
@Suite struct `Contexts and a naive graph` {
    private static let count = Int(setting: "CAIRN_SEQUENCES") ?? 200
    private static let firstSeed = Int(setting: "CAIRN_SEED") ?? 1
    private static let chunks = 20

    static let engines: [StoreType] = ["InMemory", "SQLite", "LMDB", "XML", "Binary"]

    @Test(arguments: engines, 0..<chunks)
    func `agree after every event of a random sequence`(_ engine: StoreType, _ chunk: Int) throws {
        let size = Self.count / Self.chunks
        let first = Self.firstSeed + chunk * size
        for seed in first..<(first + size) {
            var random = SeededRandom(seed: UInt64(seed))
            let events = Event.sequence(40, using: &random)
            guard let failure = Sequence(events, on: engine).run() else { continue }

            Issue.record("seed \(seed), \(engine): \(failure)")
            return
        }
    }

    @Test func `agree where a child saves what it undid and made again`() {
        var random = SeededRandom(seed: 393)
        let events = Event.sequence(40, using: &random)

        withKnownIssue("the parent's folder loses the note that the child saves again") {
            #expect(Sequence(events, on: .inMemory).run() == nil)
        }
    }

    @Test func `disagree where a context ignores an undo, in a sequence that is made short`() throws
    {
        var random = SeededRandom(seed: 7)
        var sequence = Sequence(Event.sequence(60, using: &random), on: .inMemory)
        sequence.isIgnored = { $0 == .undo }

        let failure = try #require(sequence.run())

        // Something to undo, and the undo.
        #expect(failure.contains("\n2 events:"))
    }
}

/// Events to run on one engine.
struct Sequence {
    let events: [Event]
    let engine: StoreType
    /// What the real contexts are not told: a planted defect.
    var isIgnored: (Action) -> Bool = { _ in false }

    init(_ events: [Event], on engine: StoreType) {
        self.events = events
        self.engine = engine
    }

    /// Runs the events; nil: all agreed. Else what did not, and the shortest sequence that shows it.
    func run() -> String? {
        guard let failure = firstFailure(events) else { return nil }
        let short = Shrinker { firstFailure($0) != nil }.shrink(events)
        let lines = short.map { "    \($0)" }.joined(separator: "\n")
        return "\(firstFailure(short) ?? failure)\n\(short.count) events:\n\(lines)"
    }

    private func firstFailure(_ events: [Event]) -> String? {
        do {
            try replay(events)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func replay(_ events: [Event]) throws {
        var naive = NaiveWorld()
        let real = try RealWorld(engine)
        for event in events {
            guard let action = naive.apply(event) else { continue }
            do {
                if !isIgnored(action) { try real.apply(action) }
                try real.check(against: naive)
            } catch {
                throw Disagreement("\(error)\nafter \(action)")
            }
        }
        try real.checkStore(against: naive.stored)
    }
}

extension Int {
    /// What a variable of the environment says; nil where it is no number.
    init?(setting name: String) {
        guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
        self.init(text)
    }
}
