extension Report {
    /// The rows that were left out, with their engines and reason, grouped by reason.
    var leftOutLines: [String] {
        let titles = Dictionary(
            rows.map { ($0.workload, $0.title) }, uniquingKeysWith: { first, _ in first })
        let leftOut = leftOut ?? []
        return leftOut.map(\.because).uniqued.map { because in
            let rows = leftOut.filter { $0.because == because }
            let names = rows.map { titles[$0.workload] ?? $0.workload }.uniqued
            let engines = rows.map(\.engine).uniqued.joined(separator: ", ")
            return "\(names.joined(separator: "; ").capitalizedFirst) (\(engines)): \(because)"
        }
    }
}
