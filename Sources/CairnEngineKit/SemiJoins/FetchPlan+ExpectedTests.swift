import CairnStore

extension FetchPlan {
    /// Returns how many of the candidates will probably be tested. They are fewer than all if the
    /// first matches are enough.
    package func expectedTestCount(among candidateCount: Int) -> Int {
        guard sorts.isEmpty, let limit else { return candidateCount }
        let (wanted, overflow) = max(limit, 0).addingReportingOverflow(max(offset, 0))
        guard !overflow, wanted < candidateCount / 16 else { return candidateCount }
        return max(wanted * 16, min(candidateCount, 256))
    }
}
