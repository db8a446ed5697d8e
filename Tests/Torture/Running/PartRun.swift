import Cairn
import CairnTestSupport
import Foundation
import Synchronization

/// The trials of one part with one engine.
struct PartRun {
    let part: any Part
    let engine: StoreType
    let settings: Settings
    let lanes: [LaneThread]

    /// The combined result of the trials.
    struct Outcome: Sendable {
        var trials = 0
        var notReached = 0
        var savesChecked = 0
        /// The failures, each with the command that reproduces it.
        var failures: [String] = []
        var firstFailedTrial: String?
    }

    /// Runs all trials, or the trials up to the first failure.
    func run(untilFailure: Bool = false) throws -> Outcome {
        let trials = try chosen()
        guard !trials.isEmpty else {
            throw HarnessFailure("part \(part.name) has no trial \(settings.point ?? "")")
        }
        let minute = Duration.seconds(60)
        let shared = Mutex(
            (
                next: 0, outcome: Outcome(), broken: nil as (any Error)?,
                nextProgress: ContinuousClock.now + minute
            ))
        LaneThread.perform(on: lanes) { lane in
            while true {
                let trial = shared.withLock { shared -> Trial? in
                    let isOver =
                        shared.next >= trials.count || shared.broken != nil
                        || untilFailure && !shared.outcome.failures.isEmpty
                    defer { shared.next += 1 }
                    return isOver ? nil : trials[shared.next]
                }
                guard let trial else { return }
                let result = Result { try trial.run(lane) }
                shared.withLock { shared in
                    switch result {
                    case .success(let verdict):
                        add(verdict, of: trial, to: &shared.outcome)
                        guard shared.nextProgress < .now else { break }
                        shared.nextProgress = .now + minute
                        printProgress(shared.outcome, of: trials.count)
                    case .failure(let error):
                        shared.broken = HarnessFailure("\(trial.name): \(error)")
                    }
                }
            }
        }
        return try shared.withLock { shared in
            if let broken = shared.broken { throw broken }
            return shared.outcome
        }
    }

    /// Says how far the part is, so that a long run that is stopped has shown something.
    private func printProgress(_ outcome: Outcome, of count: Int) {
        let last = outcome.failures.last.map { ", the last: \($0)" } ?? ""
        Report.print(
            "\(part.name) \(engine.rawValue): \(outcome.trials + outcome.notReached) of \(count) trials, "
                + "\(outcome.failures.count) failures\(last)")
    }

    /// Returns the trials to run: the requested trial, or as many as the form requires.
    private func chosen() throws -> [Trial] {
        let all = try lanes[0].use { try part.trials(engine, settings, $0) }
        if let point = settings.point {
            return all.filter {
                point.hasSuffix("*") ? $0.name.hasPrefix(point.dropLast()) : $0.name == point
            }
        }
        let count = settings.pointCount ?? part.trialCount(settings) ?? all.count
        return settings.sample(of: all, count: count)
    }

    private func add(_ verdict: Verdict, of trial: Trial, to outcome: inout Outcome) {
        guard verdict.isReached || !verdict.problems.isEmpty else {
            outcome.notReached += verdict.count
            return
        }
        outcome.trials += verdict.count
        outcome.savesChecked += verdict.savesChecked
        guard let first = verdict.problems.first else { return }
        let more = verdict.problems.count > 1 ? " (and \(verdict.problems.count - 1) more)" : ""
        outcome.firstFailedTrial = outcome.firstFailedTrial ?? trial.name
        outcome.failures.append(
            "\(part.name) \(engine.rawValue) \(trial.name): \(first)\(more)\n    "
                + settings.command(part.name, engine, trial.name))
    }
}

/// A lane that only one thread can use at a time.
final class LaneThread: Sendable {
    private let lane: Mutex<Lane>

    init(_ settings: Settings, number: Int) throws {
        lane = Mutex(try Lane(settings, number: number))
    }

    func use<Result: Sendable>(_ body: (Lane) throws -> Result) rethrows -> Result {
        try lane.withLock { lane in try body(lane) }
    }

    /// Runs the body once for each lane, in parallel.
    static func perform(on lanes: [LaneThread], _ body: @Sendable (Lane) -> Void) {
        DispatchQueue.concurrentPerform(iterations: lanes.count) { index in
            lanes[index].use { body($0) }
        }
    }
}
