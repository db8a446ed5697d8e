/// The rows of any engine, in the order in which they are run and shown.
package enum Catalogue {
    /// The rows of performance.md by their letters, then the other rows, then the rows about growth.
    package static let workloads: [any Workload<Setting>] = lettered + others + growth

    private static let lettered: [any Workload<Setting>] = [
        FetchRealised(), FetchLazily(), FetchFaults(), ObjectMemory(), FireOneFault(),
        FireManyFaults(), FetchByIndex(), CreateAndSave(), UpdateAndSave(), SaveOne(),
    ]

    private static let others: [any Workload<Setting>] = [
        FetchWithTwoReaders(), FollowToOne(), FollowToMany(), FollowReference(), Count(),
        Dictionaries(),
        SortAndLimit(), TextPredicates(), RelatedPredicates(), Aggregates(), DeleteWithCascade(),
        CascadeChain(), SaveChanged(), ChildSave(), Merge(), OpenCold(), ReadersAndWriter(),
        Savers(),
        FetchTwoStores(), SaveTwoStores(), FetchRenumbered(), CopyBetweenEngines(),
        Batches(),
        MigrateStore.inPlace, MigrateStore.copying, MigrateWithRules(), KeepHistory(),
        ReadHistory(),
    ]

    private static let growth: [any Workload<Setting>] = [
        GrowScan(), GrowMember(), GrowFirstMembers(), GrowContext(), GrowDelete(),
    ]
}
