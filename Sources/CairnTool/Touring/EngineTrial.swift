import Cairn
import CairnStore
import Foundation

/// A trial of one engine with a store's objects: they are saved, fetched, and read again one fault at a time.
struct EngineTrial {
    /// The measurements.
    struct Outcome {
        static let headings = [
            "engine", "objects", "save", "fetch", "objects/s", "faults/s", "file",
        ]

        let type: StoreType
        let objectCount: Int
        let saveTime: Duration
        let fetchTime: Duration
        let fetchedCount: Int
        let faultTime: Duration
        let faultCount: Int
        let fileByteCount: Int?

        var cells: [String] {
            [
                type.rawValue, "\(objectCount)", Self.milliseconds(saveTime),
                Self.milliseconds(fetchTime), Self.rate(fetchedCount, fetchTime),
                Self.rate(faultCount, faultTime),
                fileByteCount.map { "\($0 / 1024) KiB" } ?? "none",
            ]
        }

        private static func milliseconds(_ time: Duration) -> String {
            time.formatted(.units(allowed: [.milliseconds], fractionalPart: .show(length: 1)))
        }

        private static func rate(_ count: Int, _ time: Duration) -> String {
            let seconds =
                Double(time.components.attoseconds) / 1e18
                + Double(time.components.seconds)
            guard count > 0, seconds > 0 else { return "" }
            return (Double(count) / seconds).formatted(.number.precision(.fractionLength(0)))
        }
    }

    /// The maximum number of faults to fire. It is enough to measure, and does not take long.
    private static let faultLimit = 10_000

    let type: StoreType
    let folder: URL
    let model: ManagedObjectModel

    /// - Throws: `GraphError`, `StoreError`.
    func run(loading loader: GraphLoader) throws -> Outcome {
        let clock = ContinuousClock()
        let written = try Stack(model: model, type: type, url: url)
        let saveTime = try written.context.performAndWait { context in
            try loader.load(into: context)
            return try clock.measure { try context.save() }
        }
        let reading = try stackForReading(after: written)
        let (fetched, fetchTime) = try reading.context.performAndWait { context in
            var count = 0
            let time = try clock.measure { count = try touchAll(in: context) }
            return (count, time)
        }
        let faulting = try stackForReading(after: reading)
        let ids = try faulting.ids(atMost: Self.faultLimit)
        let faultTime = try faulting.context.performAndWait { context in
            try clock.measure {
                for id in ids { try touch(try context.object(with: id)) }
            }
        }
        let size = url.flatMap { byteCount(at: $0) }
        try faulting.coordinator.remove(faulting.store)
        return Outcome(
            type: type, objectCount: loader.count, saveTime: saveTime, fetchTime: fetchTime,
            fetchedCount: fetched, faultTime: faultTime, faultCount: ids.count,
            fileByteCount: size)
    }

    private var url: URL? {
        folder.appending(path: "tour.\(type.rawValue.lowercased())")
    }

    /// Returns the stack to read with. A durable store is opened again, so that no row is cached. A store in
    /// memory exists only in its own stack, so that stack gets a new context instead.
    private func stackForReading(after stack: Stack) throws -> Stack {
        guard Swift.type(of: stack.store).capabilities.isDurable else {
            return stack.withFreshContext()
        }
        try stack.coordinator.remove(stack.store)
        return try Stack(model: model, type: type, url: url)
    }

    /// Fetches every object and reads a value of each. Returns the number of objects.
    private func touchAll(in context: ManagedObjectContext) throws -> Int {
        var count = 0
        for root in model.entities where root.superentity == nil {
            for object in try context.fetch(FetchRequest<ManagedObject>(root.name)) {
                try touch(object)
                count += 1
            }
        }
        return count
    }

    private func touch(_ object: ManagedObject) throws {
        if let attribute = object.entity.attributes.first(where: { !$0.isTransient }) {
            _ = try object.value(forKey: attribute.name)
        }
    }

    private func byteCount(at url: URL) -> Int? {
        let files = [url] + ["-wal"].map { URL(fileURLWithPath: url.path + $0) }
        let sizes = files.compactMap {
            try? FileManager.default.attributesOfItem(atPath: $0.path)[.size] as? Int
        }
        return sizes.isEmpty ? nil : sizes.reduce(0, +)
    }
}

extension Stack {
    /// Returns the IDs of objects of all entities, by root entity and key.
    fileprivate func ids(atMost count: Int) throws -> [ObjectID] {
        var ids: [ObjectID] = []
        for root in store.request.model.entities where root.superentity == nil {
            let plan = FetchPlan(entity: root, limit: count - ids.count, output: .ids)
            ids += try coordinator.fetch(plan, in: nil).ids
            if ids.count >= count { break }
        }
        return ids
    }
}
