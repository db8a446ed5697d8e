@testable import CairnBenchmarks

/// A row that has only a name.
struct NamedRow: Workload {
    var name: String
    var title = "does something"
    var about = About(goal: "g", heldFixed: "h", varied: "v")

    func plan(in setting: Int) throws -> WorkloadPlan {
        .notApplicable(because: "it only has a name")
    }
}

extension Report {
    /// Creates a report with one row, in which Cairn takes the given nanoseconds in each round, and its
    /// baseline takes 100.
    static func fixture(
        _ nanoseconds: [Double], hasBaseline: Bool = true, goal: Goal? = .ratio(1.5),
        size: Int = 10_000, bytes: Double? = nil, peers: [String: Double] = [:],
        headline: Headline? = nil, rest: String? = nil
    ) -> Report {
        let baseline = nanoseconds.map { _ in 100.0 }
        var ours = ContenderResult(
            name: "Cairn", role: .ours, goal: goal, cpu: Summary(nanoseconds),
            wall: Summary(nanoseconds))
        var contenders: [ContenderResult] = []
        if hasBaseline {
            ours.ratio = Ratio(of: nanoseconds, to: baseline)
            contenders = [
                ContenderResult(
                    name: "C", role: .baseline, cpu: Summary(baseline), wall: Summary(baseline))
            ]
        }
        ours.bytesPerObject = bytes
        ours.isGoalMet = goal?.isMet(by: ours)
        let others = peers.sorted { $0.key < $1.key }.map { name, time in
            var peer = ContenderResult(
                name: name, role: .peer, cpu: Summary([time]), wall: Summary([time]))
            if hasBaseline { peer.ratio = Ratio(of: [time], to: baseline) }
            return peer
        }
        var named = NamedRow(name: "A")
        named.about.rest = rest
        let row = RowResult(
            of: named, engine: "SQLite", size: size,
            contest: Contest(unit: "row", headline: headline, []),
            contenders: contenders + [ours] + others)
        let waiting = RowResult(
            of: NamedRow(name: "undo"), engine: "SQLite", size: size, contest: nil, needs: "undo")
        let machine = Machine(
            processor: "<fast> & small", cores: 2, system: "Linux", libraries: ["SQLite": "3"])
        return Report(
            date: "2026-11-21T20:00:00Z", machine: machine, rounds: nanoseconds.count,
            rows: [row, waiting])
    }
}
