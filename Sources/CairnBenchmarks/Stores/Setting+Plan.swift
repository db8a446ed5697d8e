import Cairn

extension Setting {
    /// Returns the plan of a row in this setting, with the contenders that the program adds.
    ///
    /// For an engine outside of Cairn, the plan includes Cairn's InMemory engine as a control: it shows the part
    /// of the cost that is not the engine's own, and the engine's checksums must agree with those of InMemory.
    ///
    /// - Throws: The error that prevents the preparation of the row.
    package func plan(of row: some Workload<Setting>) throws -> WorkloadPlan {
        let plan = try row.plan(in: self)
        guard case .contests(var contests) = plan else { return plan }
        let marks = try shelf.additions.baseline.map { try contenders(.baseline, $0, of: row) }
        let controls = engine.isBuiltIn ? [:] : try contenders(.control, .inMemory, of: row)
        for index in contests.indices {
            let part = contests[index].part
            // Goals are set only for Cairn's own engines.
            if !engine.isBuiltIn { contests[index].removeGoals() }
            if !contests[index].hasBaseline { contests[index].add(marks?[part] ?? []) }
            contests[index].add(
                try shelf.additions.contenders(
                    BenchmarkRow(name: row.name, part: part, setting: self)))
            contests[index].add(controls[part] ?? [])
        }
        return .contests(contests)
    }

    /// Returns the work of Cairn with another engine, by the part of the row. Empty if that is this engine, or
    /// if the row is meaningless for it.
    private func contenders(
        _ role: Contender.Role, _ other: StoreType, of row: some Workload<Setting>
    ) throws -> [String: [Contender]] {
        // Makes as many saves as this engine.
        let setting = Setting(engine: other, size: size, shelf: shelf, isWholeFile: isWholeFile)
        guard other != engine, case .contests(let contests) = try row.plan(in: setting) else {
            return [:]
        }
        let parts = contests.map { contest in
            let ours = contest.contenders.filter { $0.role == .ours }
            return (contest.part, ours.map { $0.renamed(after: other, role) })
        }
        return Dictionary(parts, uniquingKeysWith: { first, _ in first })
    }
}

extension Contest {
    fileprivate var hasBaseline: Bool { contenders.contains { $0.role == .baseline } }

    fileprivate mutating func removeGoals() {
        for index in contenders.indices { contenders[index].goal = nil }
    }

    /// Adds contenders whose names are new: baselines before all others, and others after Cairn's.
    fileprivate mutating func add(_ others: [Contender]) {
        let names = Set(contenders.map(\.name))
        let new = others.filter { !names.contains($0.name) }
        let last = contenders.lastIndex { $0.role == .ours || $0.role == .peer }
        contenders.insert(
            contentsOf: new.filter { $0.role != .baseline }, at: last.map { $0 + 1 } ?? 0)
        contenders.insert(contentsOf: new.filter { $0.role == .baseline }, at: 0)
    }
}

extension Contender {
    /// Returns Cairn's contender in another role, named after its engine instead of Cairn.
    fileprivate func renamed(after engine: StoreType, _ role: Role) -> Contender {
        let suffix = name.hasPrefix("Cairn") ? name.dropFirst(5) : ""
        return Contender("\(engine.rawValue)\(suffix)", role, run: run)
    }
}
