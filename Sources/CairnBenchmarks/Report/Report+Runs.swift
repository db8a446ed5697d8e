extension Report {
    /// Creates a report whose figures are the medians of several runs of the same rows.
    ///
    /// The samples of a contender are the medians of the runs. The ends of a ratio's interval are the
    /// smallest and the largest ratio of a run.
    ///
    /// - Precondition: There is at least one run, and all runs have the same rows.
    package init(medianOf runs: [Report]) {
        precondition(!runs.isEmpty, "a median of no runs")
        self = runs[0]
        self.runs = runs.count
        for index in rows.indices {
            let others = runs.map { $0.rows[index].contenders }
            for contender in rows[index].contenders.indices {
                rows[index].contenders[contender] = ContenderResult(
                    medianOf: others.map { $0[contender] })
            }
        }
    }
}

extension ContenderResult {
    fileprivate init(medianOf runs: [ContenderResult]) {
        self = runs[0]
        cpu = Summary(runs.map(\.cpu.median))
        wall = Summary(runs.map(\.wall.median))
        let ratios = runs.compactMap(\.ratio)
        ratio = ratios.isEmpty ? nil : Ratio(medianOf: ratios)
        let wallRatios = runs.compactMap(\.wallRatio)
        wallRatio = wallRatios.isEmpty ? nil : Ratio(medianOf: wallRatios)
        let bytes = runs.compactMap(\.bytesPerObject)
        bytesPerObject = bytes.isEmpty ? nil : Summary(bytes).median
        peakBytes = runs.map(\.peakBytes).max() ?? 0
        isGoalMet = goal?.isMet(by: self)
    }
}
