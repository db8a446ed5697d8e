extension Report {
    /// The rows that were left out, grouped by reason.
    var leftOutLines: [(rows: String, engines: String, because: String)] {
        let leftOut = leftOut ?? []
        return leftOut.map(\.because).uniqued.map { because in
            let rows = leftOut.filter { $0.because == because }
            return (
                rows.map(\.workload).uniqued.joined(separator: ", "),
                rows.map(\.engine).uniqued.joined(separator: ", "), because
            )
        }
    }
}
