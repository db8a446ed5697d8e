import BenchmarkKit
import Cairn

extension Setting {
    /// What a row runs here. Beside an engine written outside, Cairn's InMemory engine does the same.
    ///
    /// What such an engine reads is compared with the rows in memory of C, as for every engine without a
    /// known library below it. What it saves has no baseline. InMemory is a control: it shows what is not
    /// the engine's own work, and the engine's checksums must agree with those of InMemory.
    ///
    /// - Throws: what keeps the row from being made.
    public func plan(of row: some Workload<Setting>) throws -> WorkloadPlan {
        let plan = try row.plan(in: self)
        guard !engine.isBuiltIn, case .contests(let contests) = plan else { return plan }
        // As many saves as the engine makes.
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
    /// The contest with more contenders. Goals are set for Cairn's own engines alone.
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
