import BenchmarkKit
import Cairn
import Foundation
import GRDB

/// Row K.
struct CreateAndSave: Workload {
    let name = "K"
    let title = "create and save objects in bulk"
    let about = About(
        goal: "SQLite ≤ 1.0 of a prepared insert for each row",
        heldFixed: """
            items with all values and a to-one, into a store that has their folders and no item; \
            three indexes are kept; one transaction; what the file holds afterwards is read back \
            and compared
            """,
        varied: """
            C binds and steps; Cairn makes objects, sets their values one by one with both ends of \
            the to-one, validates and saves; GRDB inserts records
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isFile else { return try memory(setting) }
        let url = try setting.folders()
        let values = setting.shelf.values(setting.size)
        let (engine, shelf) = (setting.engine, setting.shelf)
        var contenders = [
            Contender("Cairn", .ours, goal: engine == .sqlite ? .ratio(1.0) : nil) {
                try Self.save(values, engine, copy: try shelf.fresh(copying: url), shelf)
            }
        ]
        if engine == .sqlite {
            contenders.insert(Self.baseline(values, url, shelf), at: 0)
            contenders.append(Self.peer(values, shelf))
        }
        return .contests([Contest(unit: "object", durability: engine.durability, contenders)])
    }

    /// A store that is gone with its stack cannot be copied: its folders are saved first.
    private func memory(_ setting: Setting) throws -> WorkloadPlan {
        let values = setting.shelf.values(setting.size)
        let engine = setting.engine
        let ours = Contender("Cairn", .ours) {
            let stack = try Stack(engine, at: nil)
            try stack.addFolders(ReferenceModel.groupCount(for: values.count))
            return try stack.inContext { try Self.create(values, in: $0) }
        }
        return .contests([Contest(unit: "object", durability: engine.durability, [ours])])
    }

    private static func create(
        _ values: [ItemValues], in context: ManagedObjectContext
    ) throws -> Sample {
        let folders: [Folder] = try context.fetch(FetchRequest<Folder>())
        var watch = Stopwatch()
        try watch.time {
            for (index, value) in values.enumerated() {
                let folder = folders[ItemValues.folderIndex(at: index, of: values.count)]
                try context.insert(Item.self).setAll(value, folder: folder)
            }
            try context.save()
        }
        return Sample(watch, operations: values.count, checksum: 0)
    }

    private static func save(
        _ values: [ItemValues], _ engine: StoreType, copy: URL, _ shelf: StoreShelf
    ) throws -> Sample {
        defer { shelf.discard(copy) }
        let stack = try Stack(engine, at: copy)
        var sample = try stack.inContext { try create(values, in: $0) }
        try stack.close()
        sample.checksum = try Proof.checksum(of: copy, engine)
        sample.fileBytes = shelf.byteCount(of: copy)
        return sample
    }

    private static func baseline(
        _ values: [ItemValues], _ url: URL, _ shelf: StoreShelf
    ) -> Contender {
        let arena = ItemArena(values)
        return Contender("C: prepared insert", .baseline) {
            let copy = try shelf.fresh(copying: url)
            defer { shelf.discard(copy) }
            var watch = Stopwatch()
            do {
                let baseline = try SQLiteBaseline(copy, writable: true)
                try watch.time { try baseline.insert(UnsafeBufferPointer(arena.items)) }
            }
            return Sample(
                watch, operations: values.count, checksum: try SQLiteBaseline.prove(copy),
                fileBytes: shelf.byteCount(of: copy))
        }
    }

    private static func peer(_ values: [ItemValues], _ shelf: StoreShelf) -> Contender {
        Contender("GRDB, insert records", .peer) {
            let copy = try shelf.fresh()
            defer { shelf.discard(copy) }
            let peer = try GRDBPeer(copy)
            try peer.createSchema()
            var watch = Stopwatch()
            try watch.time { try peer.insert(values) }
            try peer.pool.close()
            return Sample(
                watch, operations: values.count,
                checksum: try SQLiteBaseline.prove(copy, GRDBPeer.proof),
                fileBytes: shelf.byteCount(of: copy))
        }
    }
}
