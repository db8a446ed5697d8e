import Baselines
import BenchmarkRows
import Cairn
import Foundation
import GRDB

/// The libraries in the rows that save items.
extension Setting {
    /// Returns the contenders beside Cairn in the row with this name. Empty if they have no part in it.
    func savers(_ row: String, part: String) -> [Contender] {
        switch row {
        case "K": insertions() + recordInsertions()
        case "L": updates() + recordUpdates()
        case "M": oneRowInserts(newItems(saveCount(200)), into: .items) + recordInserts()
        case "cascade": deletes(keysInDeletedFolders, folders: deletedFolderCount)
        case "cascade-chain": chainDeletes()
        case "save-two-stores": pairedInserts()
        case "savers": [1, 8, 64].flatMap(recordsSavedByTasks)
        case "grow-member": oneRowInserts(newItems(saveCount(20)), into: .oneFolder)
        case "grow-context": oneRowUpdates(saveCount(20))
        case "save-changed": oneRowUpdates(saveCount(200)) + recordChanges()
        case "batch": batches(part)
        case "grow-delete": deletes((0..<size).map { Int64($0) + 1 })
        default: []
        }
    }

    /// All items in one transaction of the engine's library.
    func insertions() -> [Contender] {
        let count = size
        let arena = shelf.arena(.items, size: count)
        return library("insert all", changing: .folders) { baseline in
            var watch = Stopwatch()
            try watch.time { try baseline.insert(UnsafeBufferPointer(arena.items)) }
            return Sample(watch, operations: count, checksum: 0)
        }
    }

    private func recordInsertions() -> [Contender] {
        let values = shelf.values(size)
        return changingRecords("GRDB, insert records", .folders) { peer in
            var watch = Stopwatch()
            try watch.time {
                try peer.insert(values) { ItemValues.folderIndex(at: $0, of: values.count) }
            }
            return Sample(watch, operations: values.count, checksum: 0)
        }
    }

    /// A new price and title for many items, in one transaction.
    private func updates() -> [Contender] {
        let edit = Edit(self)
        return library("update each", changing: .items) { baseline in
            try baseline.warm()
            var watch = Stopwatch()
            try edit.withCTitles { titles in
                try watch.time {
                    try baseline.update(
                        edit.keys, prices: edit.prices, titles: titles, version: 1)
                }
            }
            return Sample(watch, operations: edit.indices.count, checksum: 0)
        }
    }

    /// What a batch does to all items, in one transaction.
    private func batches(_ part: String) -> [Contender] {
        let keys = (0..<size).map { Int64($0) + 1 }
        switch part {
        case "insert": return insertions() + recordInsertions()
        case "delete":
            return deletes(keys)
                + changingAllRecords("GRDB, deleteAll") { try HandWrittenItem.deleteAll($0) }
        default:
            let prices = keys.map { _ in Edit.priceOfAll }
            return library("update each", changing: .items) { baseline in
                try baseline.warm()
                var watch = Stopwatch()
                try Edit.titleOfAll.withCString { title in
                    let titles = keys.map { _ in UnsafePointer<CChar>?.some(title) }
                    try watch.time {
                        try baseline.update(keys, prices: prices, titles: titles, version: 1)
                    }
                }
                return Sample(watch, operations: keys.count, checksum: 0)
            }
                + changingAllRecords("GRDB, updateAll") { database in
                    try HandWrittenItem.updateAll(
                        database,
                        [
                            Column("price").set(to: Edit.priceOfAll),
                            Column("title").set(to: Edit.titleOfAll), Column("version") += 1,
                        ])
                }
        }
    }

    /// One statement for all records.
    private func changingAllRecords(
        _ name: String, _ body: @escaping (Database) throws -> Int
    ) -> [Contender] {
        changingRecords(name, .items) { peer in
            var watch = Stopwatch()
            let count = try watch.time { try peer.pool.write(body) }
            return Sample(watch, operations: count, checksum: 0)
        }
    }

    private func recordUpdates() -> [Contender] {
        let edit = Edit(self)
        return changingRecords("GRDB, update records", .items) { peer in
            let all = try peer.allItems()
            var watch = Stopwatch()
            try watch.time {
                try peer.pool.write { database in
                    for (index, row) in edit.indices.enumerated() {
                        var item = all[row]
                        item.values.price = edit.prices[index]
                        item.values.title = edit.titles[index]
                        item.version += 1
                        try item.update(database, columns: ["price", "title", "version"])
                    }
                }
            }
            return Sample(watch, operations: edit.indices.count, checksum: 0)
        }
    }

    /// A new price and title for the first item, many times, each in a separate transaction.
    private func oneRowUpdates(_ count: Int) -> [Contender] {
        let edit = Edit(self, count: 1)
        return library("one-row transaction", changing: .items) { baseline in
            try baseline.warm()
            var watch = Stopwatch()
            for step in 0..<count {
                try "title \(step)".withCString { title in
                    try watch.time {
                        try baseline.update(
                            edit.keys, prices: [Double(step) + 0.125], titles: [title],
                            version: Int64(step) + 1)
                    }
                }
            }
            return Sample(watch, operations: count, checksum: 0)
        }
    }

    private func recordChanges() -> [Contender] {
        let count = saveCount(200)
        return changingRecords("GRDB, update a record", .items) { peer in
            var item = try peer.allItems()[0]
            var watch = Stopwatch()
            for step in 0..<count {
                try watch.time {
                    item.values.price = Double(step) + 0.125
                    item.values.title = "title \(step)"
                    item.version += 1
                    let columns = ["price", "title", "version"]
                    try peer.pool.write { [item] in try item.update($0, columns: columns) }
                }
            }
            return Sample(watch, operations: count, checksum: 0)
        }
    }

    /// Items in the first folder, each in a separate transaction.
    private func oneRowInserts(
        _ values: [ItemValues], into contents: StoreTemplates.Contents
    ) -> [Contender] {
        let arena = ItemArena(values, folder: 1)
        return library("one-row transaction", changing: contents) { baseline in
            var watch = Stopwatch()
            for index in arena.items.indices {
                let item = UnsafeBufferPointer(rebasing: arena.items[index...index])
                try watch.time { try baseline.insert(item) }
            }
            return Sample(watch, operations: arena.items.count, checksum: 0)
        }
    }

    private func recordInserts() -> [Contender] {
        let values = newItems(saveCount(200))
        return changingRecords("GRDB, insert a record", .items) { peer in
            var watch = Stopwatch()
            for value in values {
                let item = HandWrittenItem(id: nil, folder: 1, values: value)
                try watch.time { try peer.pool.write { try item.insert($0) } }
            }
            return Sample(watch, operations: values.count, checksum: 0)
        }
    }

    /// A new price for each of 64 records, 16 times, each in a separate write. The tasks share the records.
    private func recordsSavedByTasks(_ tasks: Int) -> [Contender] {
        let indices = Edit(self, count: 64).indices
        let rounds = 16
        return changingRecords("GRDB, \(tasks) \(tasks == 1 ? "task" : "tasks")", .items) { peer in
            let all = try peer.allItems()
            let items = indices.map { all[$0] }
            var watch = Stopwatch()
            try watch.time {
                try SimultaneousTasks.run(tasks) { task in
                    for round in 0..<rounds {
                        for index in items.indices where index % tasks == task {
                            var item = items[index]
                            item.values.price = Double(round) + 0.125
                            item.version += Int64(round) + 1
                            try await peer.pool.write { [item] database in
                                try item.update(database, columns: ["price", "version"])
                            }
                        }
                    }
                }
            }
            return Sample(watch, operations: items.count * rounds, checksum: 0)
        }
    }

    /// Items by key, and the first `folders` folders.
    private func deletes(_ keys: [Int64], folders: Int = 0) -> [Contender] {
        library("delete by key", changing: .items) { baseline in
            var watch = Stopwatch()
            try watch.time { try baseline.delete(keys, version: 1, folders: folders) }
            return Sample(watch, operations: keys.count, checksum: 0)
        }
    }

    /// A chain of rows, of which each leads to the next.
    private func chainDeletes() -> [Contender] {
        guard isSQLite else { return [] }
        return [
            Contender("C: next, delete", .baseline) {
                let copy = try shelf.fresh(copying: try chainURL())
                defer { shelf.discard(copy) }
                let baseline = try SQLiteBaseline(copy, writable: true)
                var watch = Stopwatch()
                let count = try watch.time { try baseline.deleteChain(from: 1) }
                return Sample(watch, operations: count, checksum: UInt64(count))
            }
        ]
    }

    /// An item in each of two stores, in a separate transaction for each.
    private func pairedInserts() -> [Contender] {
        let values = newItems(saveCount(100))
        let arena = ItemArena(values, folder: 1)
        return [
            Contender("two transactions of the library", .baseline) {
                try changingTwoInC { first, second in
                    var watch = Stopwatch()
                    for index in arena.items.indices {
                        let item = UnsafeBufferPointer(rebasing: arena.items[index...index])
                        try watch.time {
                            try first.insert(item)
                            try second.insert(item)
                        }
                    }
                    return Sample(watch, operations: values.count, checksum: 0)
                }
            }
        ]
    }

    /// Changes two new stores with the engine's C library, and reads back the content of both.
    private func changingTwoInC(
        _ body: (any ItemWriter, any ItemWriter) throws -> Sample
    ) throws -> Sample {
        var checksum: UInt64 = 0
        var sample = try changingC(.items) { first in
            let sample = try changingC(.items) { second in try body(first, second) }
            checksum = sample.checksum
            return sample
        }
        sample.checksum = bl_digest_add(sample.checksum, checksum)
        sample.fileBytes = nil
        return sample
    }

    private func changingRecords(
        _ name: String, _ contents: StoreTemplates.Contents,
        _ body: @escaping (GRDBPeer) throws -> Sample
    ) -> [Contender] {
        guard isSQLite else { return [] }
        return [Contender(name, .peer) { try changingGRDB(contents, body) }]
    }
}

extension Edit {
    /// Passes the titles as C strings to the body.
    func withCTitles<Result>(
        _ body: ([UnsafePointer<CChar>?]) throws -> Result
    ) rethrows -> Result {
        let copies = titles.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return try body(copies.map { UnsafePointer($0) })
    }
}
