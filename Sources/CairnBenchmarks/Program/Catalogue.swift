import BenchmarkKit

/// All rows, in the order in which they are run and shown.
public enum Catalogue {
    /// The rows of performance.md by their letters, then the other rows, then the rows about growth.
    public static let workloads: [any Workload<Setting>] = lettered + others + growth

    private static let lettered: [any Workload<Setting>] = [
        FetchRealised(), FetchLazily(), FetchFaults(), ReadScalar(), ReadString(), ObjectMemory(),
        FireOneFault(), FireManyFaults(), FindRegistered(), FetchByIndex(), CreateAndSave(),
        UpdateAndSave(), SaveOne(), LMDBScan(), LMDBGet(), LMDBSave(), BinaryFile(), XMLFile(),
        FilterInMemory(), SortInMemory(), FollowRegistered(), EnterContext(),
    ]

    private static let others: [any Workload<Setting>] = [
        FetchWithTwoReaders(), FollowToOne(), FollowToMany(), Count(), Dictionaries(),
        SortAndLimit(),
        TextPredicates(), RelatedPredicates(), Aggregates(), DeleteWithCascade(), CascadeChain(),
        ChildSave(),
        Undo(), Merge(), OpenCold(), ReadersAndWriter(), Savers(), FetchTwoStores(),
        SaveTwoStores(), FetchRenumbered(),
        Waiting.batch, CopyBetweenEngines(), MigrateStore.inPlace, MigrateStore.copying,
    ]

    private static let growth: [any Workload<Setting>] = [
        GrowScan(), GrowMember(), GrowContext(), GrowDelete(), GrowUndo(),
    ]
}
