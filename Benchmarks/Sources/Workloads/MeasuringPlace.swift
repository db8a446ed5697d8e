import BenchmarkKit

/// Where a row is measured.
public protocol MeasuringPlace {
    /// The engine's type, such as `SQLite`.
    var engineName: String { get }
    /// How many objects there are.
    var size: Int { get }

    /// What a row runs here. By default what the row's own plan says.
    ///
    /// - Throws: what keeps the row from being made.
    func plan(of row: some Workload<Self>) throws -> WorkloadPlan
}

extension MeasuringPlace {
    /// The row's own plan.
    ///
    /// - Throws: what keeps the row from being made.
    public func plan(of row: some Workload<Self>) throws -> WorkloadPlan {
        try row.plan(in: self)
    }
}

extension Setting: MeasuringPlace {}
