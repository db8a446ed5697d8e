import BenchmarkKit

/// All rows, in the order in which they are run and shown.
public enum Catalogue {
    /// The rows of performance.md by their letters, then the others.
    public static let workloads: [any Workload<Setting>] = [
        FetchRealised(), FetchLazily(), FetchFaults(), ReadScalar(), ReadString(), ObjectMemory(),
        FireOneFault(), FireManyFaults(), FindRegistered(), FetchByIndex(), CreateAndSave(),
        UpdateAndSave(), SaveOne(), LMDBScan(), LMDBGet(), LMDBSave(), BinaryFile(), XMLFile(),
    ]
}
