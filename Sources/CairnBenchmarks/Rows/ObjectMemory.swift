import Cairn

private final class BareItem: ManagedObject {}

/// Row F.
struct ObjectMemory: Workload {
    let name = "F"
    let title = "bytes of memory for each object"
    let about = About(
        goal: "realised ≤ 285, lazy ≤ 215, fault ≤ 80",
        heldFixed: """
            all items, held by an array, as objects of a class without properties (up to 17 \
            properties add 16 bytes); what malloc has given out, before and after, everything \
            that the fetch left behind included; other contexts hold 100,000 of them, so that \
            nothing kept for reuse is used
            """,
        varied: """
            realised objects, rows without objects, faults; GRDB's structs and generic rows; plain \
            Swift objects
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let realised = Self.contender("Cairn, realised", .bytes(285), setting) {
            (context) throws -> [BareItem] in
            try context.fetch(FetchRequest<BareItem>("Item"))
        }
        let lazy = Self.contender("Cairn, lazy", .bytes(215), setting) {
            (context) throws -> FetchResults<BareItem> in
            try context.fetch(FetchRequest<BareItem>("Item"))
        }
        let faults = Self.contender("Cairn, faults", .bytes(80), setting) {
            (context) throws -> [BareItem] in
            var request = FetchRequest<BareItem>("Item")
            request.returnsObjectsAsFaults = true
            return try context.fetch(request)
        }
        let values = setting.shelf.values(setting.size)
        let plain = Contender("plain objects", .control) {
            try Sample.memory { PlainItem.all(values) }
        }
        return .contests([
            Contest(
                unit: "object", headline: .memory,
                [realised, lazy, faults, plain])
        ])
    }

    /// Measures the memory of one more context while other contexts hold 100,000 objects. The 8 MB kept for
    /// reuse from earlier fetches are in use then, so they do not make this context look smaller.
    private static func contender<Objects: Collection & SendableMetatype>(
        _ name: String, _ goal: Goal, _ setting: Setting,
        _ fetch: @escaping @Sendable (ManagedObjectContext) throws -> Objects
    ) -> Contender {
        Contender(name, .ours, goal: goal) {
            // A separate coordinator, so that reading evicts nothing older from its row cache.
            try ColdItems(setting).run { stack in
                try holding(max(1, 100_000 / setting.size), stack, fetch) {
                    try inContext(of: stack) { context in try Sample.memory { try fetch(context) } }
                }
            }
        }
    }

    /// Runs the body while `count` contexts hold the objects.
    private static func holding<Objects: Collection & SendableMetatype>(
        _ count: Int, _ stack: MeasuredStack,
        _ fetch: @escaping @Sendable (ManagedObjectContext) throws -> Objects,
        _ body: @Sendable () throws -> Sample
    ) throws -> Sample {
        guard count > 0 else { return try body() }
        return try inContext(of: stack) { context in
            let held = try fetch(context)
            return try withExtendedLifetime(held) {
                try holding(count - 1, stack, fetch, body)
            }
        }
    }

    private static func inContext(
        of stack: MeasuredStack, _ body: @Sendable (ManagedObjectContext) throws -> Sample
    ) throws -> Sample {
        try ContextHandle(
            coordinator: stack.coordinator,
            classes: ObjectClasses(byEntity: ["Item": BareItem.self])
        ).performAndWait(body)
    }
}

extension Sample {
    /// Measures the memory of what the body returns. The checksum is the number of objects, because reading the
    /// values would use additional memory.
    package static func memory<Objects: Collection & SendableMetatype>(
        of body: () throws -> Objects
    ) throws -> Sample {
        let before = Heap.byteCount
        var watch = Stopwatch()
        let objects = try watch.time(body)
        let after = Heap.byteCount
        let count = objects.count
        let bytes = Double(after) - Double(before)
        return Sample(
            watch, operations: count, checksum: UInt64(count),
            bytesPerObject: max(0, bytes) / Double(max(1, count)))
    }
}
