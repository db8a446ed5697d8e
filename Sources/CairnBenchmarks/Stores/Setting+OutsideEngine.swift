import BenchmarkKit
import Cairn

extension Setting {
    /// Returns the plan of a row in this setting. For an engine outside of Cairn, the plan includes Cairn's
    /// InMemory engine as a control.
    ///
    /// Reads of such an engine are compared with C's rows in memory, like those of every engine without a
    /// known library. Saves have no baseline. InMemory shows the part of the cost that is not the engine's
    /// own, and the engine's checksums must agree with those of InMemory.
    ///
    /// - Throws: The error that prevents the preparation of the row.
    public func plan(of row: some Workload<Setting>) throws -> WorkloadPlan {
        let plan = try row.plan(in: self)
        guard !engine.isBuiltIn, case .contests(let contests) = plan else { return plan }
        // Makes as many saves as the engine.
        let memory = Setting(
            engine: .inMemory, size: size, shelf: shelf, isWholeFile: isWholeFile)
        var others: [Contest] = []
        if case .contests(let contests) = try row.plan(in: memory) { others = contests }
        return .contests(
            contests.map { contest in
                let other = others.first { $0.part == contest.part }
                return contest.withoutGoals(beside: other?.controls ?? [])
            })
    }
}

extension Contest {
    /// Returns the contest with additional contenders and without goals, which are set only for Cairn's own
    /// engines.
    fileprivate func withoutGoals(beside controls: [Contender]) -> Contest {
        var contest = self
        for index in contest.contenders.indices { contest.contenders[index].goal = nil }
        contest.contenders += controls
        return contest
    }

    /// Cairn's contenders as controls, named after the InMemory engine.
    fileprivate var controls: [Contender] {
        contenders.filter { $0.role == .ours }.map { contender in
            let suffix = contender.name.hasPrefix("Cairn") ? contender.name.dropFirst(5) : ""
            return Contender("InMemory\(suffix)", .control, run: contender.run)
        }
    }
}
