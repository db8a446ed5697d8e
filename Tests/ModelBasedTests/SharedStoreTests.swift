import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Two programs, or two contexts of one program, edit the same stores with random steps. After each save, the
/// stores must keep the rules of the model, and the save must have done what its context reported.
///
/// `CAIRN_SEED` sets the seed of the first sequence. `CAIRN_ENGINES`, `CAIRN_POLICIES` and `CAIRN_SHAPES` choose some of each.
@Suite struct `Several contexts and programs` {
    /// Whether a run continues after a failure and lists all kinds of failures.
    private static let goesOn = TestSetting.text("CAIRN_GOES_ON") != nil
    private static let policies = chosen(ConflictPolicy.allCases, "CAIRN_POLICIES")
    private static let engines = everyEngine.filter { isChosen($0.rawValue, "CAIRN_ENGINES") }
    private static let fileEngines = everyFileEngine.filter {
        isChosen($0.rawValue, "CAIRN_ENGINES")
    }

    private static func isChosen(_ name: String, _ setting: String) -> Bool {
        TestSetting.text(setting).map {
            $0 == "all" || $0.split(separator: ",").contains(Substring(name))
        } ?? true
    }

    static func chosen<Choice: RawRepresentable<String>>(_ all: [Choice], _ setting: String)
        -> [Choice]
    {
        all.filter { isChosen($0.rawValue, setting) }
    }

    @Test(arguments: engines, policies)
    func `two contexts keep the rules`(_ engine: StoreType, _ policy: ConflictPolicy) throws {
        try Self.run([engine], .contexts, policy, steps: 200)
    }

    @Test(arguments: fileEngines, policies)
    func `two processes keep the rules`(_ engine: StoreType, _ policy: ConflictPolicy) throws {
        try Self.run([engine], .processes, policy, steps: 60)
    }

    @Test(arguments: fileEngines, policies)
    func `two programs with parts of the model keep the rules`(
        _ engine: StoreType, _ policy: ConflictPolicy
    ) throws {
        try Self.run([engine], .programs, policy, steps: 60)
    }

    @Test(arguments: SeveralStack.combinations, policies)
    func `two contexts over several stores keep the rules`(
        _ engines: [StoreType], _ policy: ConflictPolicy
    ) throws {
        try Self.run(engines, .contexts, policy, steps: 60)
    }

    @Test(arguments: SharedDefect.allCases)
    func `a planted defect is found`(_ defect: SharedDefect) throws {
        var ignored = SharedTally()
        let sequences = (1...400).lazy.map { seed in
            var sequence = SharedSequence(
                engines: [.inMemory], access: .contexts, policy: .overwrite, seed: seed)
            sequence.defect = defect
            return sequence
        }

        let found = sequences.first { $0.failure(&ignored) != nil }

        var sequence = try #require(found)
        let reason = sequence.shortFailure() ?? ""
        #expect(reason.contains(defect.reason), "\(reason)")
        sequence.defect = nil
        let sound = sequence.failure(&ignored)
        #expect(sound == nil)
    }

    private static func run(
        _ engines: [StoreType], _ access: EditorAccess, _ policy: ConflictPolicy, steps: Int
    ) throws {
        let count = steps * TestSetting.scale
        let first = TestSetting.number("CAIRN_SEED") ?? 1
        var tally = SharedTally()
        var seed = first
        var failures: [String: Int] = [:]
        while tally.steps < count {
            let sequence = SharedSequence(
                engines: engines, access: access, policy: policy, seed: seed)
            seed += 1
            guard let reason = sequence.failure(&tally) else { continue }
            let kind = "\(sequence.shapeNames): \(reason.filter { !$0.isNumber }.prefix(100))"
            failures[kind, default: 0] += 1
            guard failures[kind] == 1 else { continue }

            Issue.record("\(sequence): \(sequence.shortFailure() ?? "not again: \(reason)")")
            guard goesOn else { return }
        }
        print(
            "\(engines.map(\.rawValue)) \(access) \(policy.rawValue): \(tally.steps) steps, \(tally.saves) saves, \(tally.together) times together,"
                + " \(tally.resolved) resolved, refused \(tally.refusals), \(tally.skipped) edits without an object,"
                + " \(tally.verifications) times verified, seeds \(first)..<\(seed)"
                + (failures.isEmpty ? "" : ", failures: \(failures)"))
    }
}

/// An error that the harness must find.
enum SharedDefect: CaseIterable, Sendable {
    case deletesWithoutAction, deniesNothing, setsOneSide
    /// A deletion also deletes an object that does not belong to the deleted one.
    case cascadesTooFar

    var mistake: SharedModel.Mistake? {
        switch self {
        case .deletesWithoutAction: .deletesWithoutAction
        case .deniesNothing: .nullifiesInsteadOfDenying
        case .setsOneSide: .knowsNoInverse
        case .cascadesTooFar: nil
        }
    }

    /// A part of the message.
    var reason: String {
        switch self {
        case .deletesWithoutAction: "leads to a missing object"
        case .deniesNothing: "denies it"
        case .setsOneSide: "does not lead back"
        case .cascadesTooFar: "nothing that it belongs to was deleted"
        }
    }
}

/// Steps of two editors on new stores.
struct SharedSequence: CustomStringConvertible {
    private static let stepCount = 60

    let engines: [StoreType]
    let access: EditorAccess
    let policies: [ConflictPolicy]
    let seed: Int
    let shapes: Set<SharedModel.Shape>
    let objectLimit: Int
    private let steps: [SharedStep]
    /// An error in what the editors do.
    var defect: SharedDefect?

    init(engines: [StoreType], access: EditorAccess, policy: ConflictPolicy, seed: Int) {
        self.engines = engines
        self.access = access
        self.seed = seed
        var random = SeededRandom(seed: UInt64(seed))
        let all = `Several contexts and programs`.chosen(SharedModel.Shape.allCases, "CAIRN_SHAPES")
        var shapes: Set = [all[seed % all.count]]
        if seed % 3 == 0, let other = all.randomElement(using: &random) { shapes.insert(other) }
        if shapes.contains(.oneWay) || access == .programs { shapes.insert(.cascade) }
        self.shapes = shapes
        // Few objects meet often. Some sequences have many.
        objectLimit = seed % 10 == 0 ? 200 : 4 + seed % 9
        let other =
            seed % 2 == 0 || access == .programs
            ? ConflictPolicy.allCases.randomElement(using: &random) ?? policy : policy
        policies = seed % 4 < 2 ? [policy, other] : [other, policy]
        steps = SharedStep.sequence(Self.stepCount, using: &random)
    }

    /// Whether the editors move objects to other stores. For others, that is a deletion, and a policy with which
    /// the context's changes win stores the former object again.
    var mayMove: Bool {
        engines.count > 1
            && policies.allSatisfy { [.error, .storeTrump, .rollback].contains($0) }
    }

    /// The configuration of a program, or `nil` for the whole model.
    func configuration(_ editor: Int) -> String? {
        access == .programs ? SharedModel.subsets[editor] : nil
    }

    /// The model of the editors, if it is not the one that checks them.
    var programModel: SharedModel? {
        defect?.mistake.flatMap { try? SharedModel(number: seed % 4, mistake: $0) }
    }

    /// Returns edits that an editor makes in addition to an edit, without reporting them.
    func additions(to edit: SharedEdit, in content: StoredContent) -> [SharedEdit] {
        guard defect == .cascadesTooFar, case .delete(let number) = edit else { return [] }
        return content.objects.keys.sorted().filter { $0 > number }.prefix(1).map { .delete($0) }
    }

    var shapeNames: String { shapes.map(\.rawValue).sorted().joined(separator: "+") }

    var description: String {
        "seed \(seed), \(engines.map(\.rawValue).joined(separator: "+")), \(access), \(policies.map(\.rawValue)), \(shapeNames)"
    }

    /// Runs the steps. Returns `nil` if every save kept the rules.
    func failure(_ tally: inout SharedTally) -> String? { failure(of: steps, &tally)?.reason }

    /// Returns the shortest steps that still fail, with their reason.
    func shortFailure() -> String? {
        var tries = 0
        var ignored = SharedTally()
        let short = Shrinker<SharedStep> { steps in
            tries += 1
            return tries < 300 && failure(of: steps, &ignored) != nil
        }.shrinkWithEdits(steps)
        return failure(of: short, &ignored).map { failure in
            failure.reason + failure.trace.map { "\n    \($0)" }.joined()
        }
    }

    private func failure(
        of steps: [SharedStep], _ tally: inout SharedTally
    ) -> (reason: String, trace: [String])? {
        do {
            let run = try SharedRun(self)
            defer { tally.add(run.tally) }
            do {
                try run.run(steps)
                return nil
            } catch {
                return ("\(error)", run.trace.suffix(40))
            }
        } catch {
            return ("\(error)", [])
        }
    }
}

/// What a run did.
struct SharedTally: Sendable {
    var steps = 0
    var saves = 0
    /// How often both editors waited to save together.
    var together = 0
    /// The saves whose conflicts a policy resolved.
    var resolved = 0
    var skipped = 0
    var verifications = 0
    var refusals: [String: Int] = [:]

    mutating func note(_ refusal: SharedRefusal) {
        refusals["\(refusal.kind) \(refusal.code)", default: 0] += 1
    }

    mutating func add(_ other: SharedTally) {
        steps += other.steps
        saves += other.saves
        together += other.together
        resolved += other.resolved
        skipped += other.skipped
        verifications += other.verifications
        refusals.merge(other.refusals, uniquingKeysWith: +)
    }
}
