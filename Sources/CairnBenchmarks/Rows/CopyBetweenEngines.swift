import Cairn
import Foundation

/// Copying a store to another engine.
struct CopyBetweenEngines: Workload {
    let name = "copy"
    let title = "copy the store to another engine"
    let about = About(
        goal: "looked at, not set",
        heldFixed: """
            all items and folders of a store, moved with migratePersistentStore; the copy is read \
            back and compared
            """,
        varied: "the engine that the copy is made with")

    private static let targets: [StoreType] = [.sqlite, .lmdb, .binary, .xml]

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isDurable else {
            return .notApplicable(
                because: "a store in memory is gone before it can be copied")
        }
        let contenders = try Self.targets.map { target in
            let url = try setting.itemsURL()
            return Contender("to \(target.rawValue)", .ours) {
                let copy = try setting.shelf.fresh()
                defer { setting.shelf.discard(copy) }
                let stack = try setting.shelf.open(setting.engine, at: url)
                var watch = Stopwatch()
                let old = stack.coordinator.persistentStores[0]
                _ = try watch.time {
                    try stack.coordinator.migratePersistentStore(old, to: copy, type: target)
                }
                try stack.close()
                return Sample(
                    watch, operations: setting.size,
                    checksum: try setting.shelf.checksum(of: copy, target),
                    fileBytes: setting.shelf.byteCount(of: copy))
            }
        }
        return .contests([
            Contest(unit: "object", durability: setting.engine.durability, contenders)
        ])
    }
}
