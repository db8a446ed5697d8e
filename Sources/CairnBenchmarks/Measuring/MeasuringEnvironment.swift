/// An environment in which a row is measured.
package protocol MeasuringEnvironment {
    /// The engine's type, such as `SQLite`.
    var engineName: String { get }
    /// The number of objects.
    var size: Int { get }

    /// Returns the plan of a row in this environment. The default implementation returns the row's own plan.
    ///
    /// - Throws: The error that prevents the preparation of the row.
    func plan(of row: some Workload<Self>) throws -> WorkloadPlan
}

extension MeasuringEnvironment {
    /// Returns the row's own plan.
    ///
    /// - Throws: The error that prevents the preparation of the row.
    package func plan(of row: some Workload<Self>) throws -> WorkloadPlan {
        try row.plan(in: self)
    }
}

extension Setting: MeasuringEnvironment {}
