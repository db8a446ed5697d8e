import Cairn

/// Iterating over a store that may be larger than memory.
struct GrowScan: Workload {
    let name = "grow-scan"
    let title = "walk over all objects in batches of 1,000, and keep none"
    let about = About(
        goal: "as much for each object, and as much memory beside 16 bytes an ID, at every size",
        heldFixed: """
            all items in the order of their keys, from a warm page cache; a number of each is read; \
            the heap is looked at every 100,000 objects
            """,
        varied: """
            C reads all columns and keeps nothing; Cairn fetches the IDs, and the values of 1,000 \
            objects when the first of them is touched
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let ours = try setting.ours { context in
            var request = FetchRequest<Item>()
            request.fetchBatchSize = 1000
            let before = Heap.byteCount
            var (most, position) = (before, 0)
            var watch = Stopwatch()
            let results: FetchResults<Item> = try watch.time {
                let results: FetchResults<Item> = try context.fetch(request)
                for item in results {
                    _ = item.number
                    position += 1
                    if position % 100_000 == 0 { most = max(most, Heap.byteCount) }
                }
                return results
            }
            var sample = Sample(watch, rows: results)
            sample.bytesPerObject =
                Double(max(most, before) - before) / Double(max(1, results.count))
            return sample
        }
        return .contests([Contest(unit: "object", [ours])])
    }
}
