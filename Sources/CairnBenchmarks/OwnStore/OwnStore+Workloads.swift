import Cairn

extension OwnStore {
    /// The rows that can be measured on any store.
    package var workloads: [any Workload<OwnStore>] { [FetchOwn(), FireOwnFaults(), CountOwn()] }

    /// Returns the contests of all measured entities.
    fileprivate func contests(
        _ make: (_ entity: String) throws -> [Contender]
    ) rethrows -> WorkloadPlan {
        .contests(
            try entityNames.map { name in
                Contest(part: name, unit: "object", try make(name))
            })
    }

    /// Runs the body in a new context of a newly opened store.
    fileprivate func inContext(
        _ body: @Sendable (ManagedObjectContext) throws -> Sample
    ) throws -> Sample {
        let container = try open()
        let sample = try container.newBackgroundContext().performAndWait(body)
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return sample
    }
}

/// Fetches all objects of an entity.
private struct FetchOwn: Workload {
    let name = "own-fetch"
    let title = "fetch all objects"
    let about = About(
        goal: "looked at", heldFixed: "all objects of a root entity, from a newly opened store",
        varied: "as faults, as rows without objects, as objects")

    func plan(in store: OwnStore) throws -> WorkloadPlan {
        store.contests { entity in
            [
                Contender("as faults", .ours) {
                    try store.inContext { context in
                        var request = FetchRequest<ManagedObject>(entity)
                        request.returnsObjectsAsFaults = true
                        return try Self.sample(request, context) { _ in }
                    }
                },
                Contender("lazily", .ours) {
                    try store.inContext { try Self.sample(FetchRequest(entity), $0) { _ in } }
                },
                Contender("as objects", .ours) {
                    try store.inContext { context in
                        try Self.sample(FetchRequest(entity), context) { results in
                            for object in results { _ = object.isFault }
                        }
                    }
                },
            ]
        }
    }

    private static func sample(
        _ request: FetchRequest<ManagedObject>, _ context: ManagedObjectContext,
        touch: (FetchResults<ManagedObject>) -> Void
    ) throws -> Sample {
        var watch = Stopwatch()
        let results: FetchResults<ManagedObject> = try watch.time {
            let results: FetchResults<ManagedObject> = try context.fetch(request)
            touch(results)
            return results
        }
        return Sample(
            watch, operations: results.count,
            checksum: RowChecksum(keys: results.objectIDs.lazy.map(\.key)).value)
    }
}

/// Fires the faults of an entity.
private struct FireOwnFaults: Workload {
    let name = "own-faults"
    let title = "fire faults"
    let about = About(
        goal: "looked at", heldFixed: "up to 1,000 objects of a root entity, no row cached",
        varied: "one by one, all at once")

    private static let most = 1_000

    func plan(in store: OwnStore) throws -> WorkloadPlan {
        store.contests { entity in
            [
                Contender("one by one", .ours) {
                    try Self.fire(store, entity) { faults, context in
                        for fault in faults { _ = try context.existingObject(with: fault.objectID) }
                    }
                },
                Contender("at once", .ours) {
                    try Self.fire(store, entity) { try $1.fireFaults(of: $0) }
                },
            ]
        }
    }

    private static func fire(
        _ store: OwnStore, _ entity: String,
        _ body: @Sendable ([ManagedObject], ManagedObjectContext) throws -> Void
    ) throws -> Sample {
        try store.inContext { context in
            var request = FetchRequest<ManagedObject>(entity)
            request.fetchLimit = most
            let faults = try context.fetchIDs(request).map { try context.object(with: $0) }
            var watch = Stopwatch()
            try watch.time { try body(faults, context) }
            let keys = faults.lazy.filter { !$0.isFault }.map(\.objectID.key)
            return Sample(watch, operations: faults.count, checksum: RowChecksum(keys: keys).value)
        }
    }
}

/// Counts the objects of an entity.
private struct CountOwn: Workload {
    let name = "own-count"
    let title = "count all objects, and fetch the first 20"
    let about = About(
        goal: "looked at", heldFixed: "a root entity, in a newly opened store",
        varied: "nothing: what a list's first screen takes")

    func plan(in store: OwnStore) throws -> WorkloadPlan {
        store.contests { entity in
            [
                Contender("Cairn", .ours) {
                    try store.inContext { context in
                        var watch = Stopwatch()
                        let count = try watch.time {
                            let count = try context.count(for: FetchRequest<ManagedObject>(entity))
                            var request = FetchRequest<ManagedObject>(entity)
                            request.fetchLimit = 20
                            let first: [ManagedObject] = try context.fetch(request)
                            return count + first.count
                        }
                        return Sample(watch, operations: 1, checksum: UInt64(count))
                    }
                }
            ]
        }
    }
}
