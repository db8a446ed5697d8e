import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Testing

@testable import CairnStack

@Suite struct `Row cache` {
    let layouts: RowLayouts
    let store = StoreNumber(rawValue: 9)

    init() throws {
        layouts = RowLayouts(
            try ManagedObjectModel([EntityDescription("Thing", [.attribute("n", .integer64)])]))
    }

    fileprivate func rows(_ keys: [Int64], version: Int64 = 1) throws -> RowBatch {
        let layout = try #require(layouts.layout(of: EntityNumber(1)))
        var writer = RowWriter(store: store)
        for key in keys {
            writer.begin(layout, key: key, version: version)
            writer.endRow()
        }
        return writer.takeBatch()
    }

    fileprivate func id(_ key: Int64) -> ObjectID {
        ObjectID(store: store, rootEntity: EntityNumber(1), entity: EntityNumber(1), key: key)
    }

    fileprivate func cache(_ keys: [Int64], at generation: UInt64) throws -> RowCache {
        let cache = RowCache()
        cache.noteGeneration(StoreGeneration(generation))
        cache.insert(try rows(keys), from: StoreGeneration(generation))
        return cache
    }

    @Test func `returns the rows that it has and the IDs of the missing ones`() throws {
        let cache = try cache([1, 2], at: 1)

        let (found, missing) = cache.rows(for: [id(2), id(3)])

        #expect(found.map(\.key) == [2])
        #expect(missing == [id(3)])
    }

    @Test func `forgets everything when somebody else changed the store`() throws {
        let cache = try cache([1, 2], at: 1)

        cache.noteGeneration(StoreGeneration(2))

        #expect(cache.row(for: id(1)) == nil)
        #expect(cache.count == 0)
    }

    @Test func `does not keep rows of an outdated state`() throws {
        let cache = try cache([1], at: 5)

        cache.insert(try rows([2]), from: StoreGeneration(4))

        #expect(cache.row(for: id(2)) == nil)
        #expect(cache.row(for: id(1)) != nil)
    }

    @Test func `keeps rows that its own save did not change`() throws {
        let cache = try cache([1, 2, 3], at: 1)

        cache.adopt(
            saved: try rows([2], version: 2), deleted: [id(3)], before: StoreGeneration(1),
            after: StoreGeneration(2))

        #expect(cache.row(for: id(1))?.version == 1)
        #expect(cache.row(for: id(2))?.version == 2)
        #expect(cache.row(for: id(3)) == nil)
    }

    @Test func `forgets its rows if somebody else saved before its own save`() throws {
        let cache = try cache([1, 2], at: 1)

        cache.adopt(
            saved: try rows([2], version: 2), deleted: [], before: StoreGeneration(4),
            after: StoreGeneration(5))

        #expect(cache.row(for: id(1)) == nil)
        #expect(cache.row(for: id(2))?.version == 2)
    }

    @Test func `keeps rows after a save from an unknown state only if its store is exclusive`()
        throws
    {
        let shared = try cache([1], at: 1)
        let exclusive = try cache([1], at: 1)

        shared.adopt(saved: try rows([2]), deleted: [], before: nil, after: StoreGeneration(2))
        exclusive.adopt(
            saved: try rows([2]), deleted: [], before: nil, after: StoreGeneration(2),
            isExclusive: true)

        #expect(shared.row(for: id(1)) == nil)
        #expect(exclusive.row(for: id(1)) != nil)
    }

    @Test func `ignores a save that a newer state has overtaken`() throws {
        let cache = try cache([1], at: 7)

        cache.adopt(
            saved: try rows([1], version: 9), deleted: [], before: StoreGeneration(5),
            after: StoreGeneration(6))

        #expect(cache.row(for: id(1))?.version == 1)
    }

    @Test func `gives a pinned reader no row newer than its state`() throws {
        let cache = try cache([1, 2], at: 1)
        cache.adopt(
            saved: try rows([2], version: 2), deleted: [], before: StoreGeneration(1),
            after: StoreGeneration(2))

        #expect(cache.row(for: id(1), asOf: StoreGeneration(1)) != nil)
        #expect(cache.row(for: id(2), asOf: StoreGeneration(1)) == nil)
        #expect(cache.row(for: id(2), asOf: StoreGeneration(2)) != nil)
    }

    @Test func `stays within twice its limit and keeps rows that are in use`() throws {
        var limits = RowCache.Limits()
        limits.rowCount = 100
        let cache = RowCache(limits: limits)
        cache.insert(try rows([1]), from: StoreGeneration(0))

        for start in stride(from: Int64(2), to: 2000, by: 50) {
            cache.insert(try rows(Array(start..<start + 50)), from: StoreGeneration(0))
            _ = cache.row(for: id(1))
        }

        #expect(cache.count <= 200)
        #expect(cache.row(for: id(1)) != nil)
        #expect(cache.row(for: id(2)) == nil)
    }

    @Test func `evicts rows that keep too much memory alive`() throws {
        var limits = RowCache.Limits()
        limits.slabByteCount = 10 * RowSlab.usualByteCount
        let cache = RowCache(limits: limits)

        for key in Int64(1)...100 { cache.insert(try rows([key]), from: StoreGeneration(0)) }

        #expect(cache.count <= 20)
        #expect(cache.row(for: id(100)) != nil)
    }
}

extension `Row cache` {
    /// Returns two batches of `count` rows each, in separate slabs. Callers insert their rows alternately.
    private func interleaved(_ count: Int64) throws -> (RowBatch, RowBatch) {
        (try rows(Array(1...count)), try rows(Array(count + 1...2 * count)))
    }

    @Test func `counts the memory of a slab once, however its rows are read`() throws {
        var limits = RowCache.Limits()
        limits.slabByteCount = 4 * RowSlab.usualByteCount
        let cache = RowCache(limits: limits)
        let (left, right) = try interleaved(50)

        for index in 0..<50 {
            cache.insert(RowBatch([left[row: index]]), from: StoreGeneration(0))
            cache.insert(RowBatch([right[row: index]]), from: StoreGeneration(0))
        }

        #expect(cache.count == 100)
    }

    @Test func `serves rows that a large fetch deferred`() throws {
        let cache = try cache(Array(1...1000), at: 1)

        let (found, missing) = cache.rows(for: [id(1), id(1000), id(1001)])

        #expect(found.map(\.key) == [1, 1000])
        #expect(missing == [id(1001)])
    }

    @Test func `keeps the last rows of a result that exceeds its limit`() throws {
        var limits = RowCache.Limits()
        limits.rowCount = 100
        let cache = RowCache(limits: limits)

        cache.insert(try rows(Array(1...500)), from: StoreGeneration(0))
        let count = cache.count

        #expect(count == 100)
        #expect(cache.row(for: id(400)) == nil)
        #expect(cache.row(for: id(401)) != nil)
    }

    @Test func `lets a save replace and delete deferred rows`() throws {
        let cache = try cache(Array(1...1000), at: 1)

        cache.adopt(
            saved: try rows([2], version: 2), deleted: [id(3)], before: StoreGeneration(1),
            after: StoreGeneration(2))

        #expect(cache.row(for: id(2))?.version == 2)
        #expect(cache.row(for: id(3)) == nil)
        #expect(cache.row(for: id(4))?.version == 1)
    }

    @Test func `never returns rows that were deferred before a save`() throws {
        var limits = RowCache.Limits()
        limits.rowCount = 200
        let cache = RowCache(limits: limits)
        cache.insert(try rows(Array(1...150)), from: StoreGeneration(0))
        cache.adopt(
            saved: try rows([1, 2], version: 2), deleted: [id(3)], before: StoreGeneration(0),
            after: StoreGeneration(1))
        // Enough rows to evict the saved rows.
        let others = (0..<9).map { part in Array(1000 + part * 60..<1060 + part * 60) }
        for part in others {
            cache.adopt(
                saved: try rows(part.map(Int64.init)), deleted: [], before: StoreGeneration(1),
                after: StoreGeneration(1))
        }

        #expect(cache.row(for: id(1)).map(\.version) != 1)
        #expect(cache.row(for: id(2)).map(\.version) != 1)
        #expect(cache.row(for: id(3)) == nil)
    }

    @Test func `serves rows that a large save inserted, along with those it changed`() throws {
        let cache = try cache(Array(1...100), at: 1)
        var saved = try rows(Array(101...1000))
        saved.append(try rows([5], version: 2))

        cache.adopt(
            saved: saved, newCount: 900, deleted: [id(6)], before: StoreGeneration(1),
            after: StoreGeneration(2))

        #expect(cache.row(for: id(1000))?.version == 1)
        #expect(cache.row(for: id(5))?.version == 2)
        #expect(cache.row(for: id(6)) == nil)
        #expect(cache.row(for: id(7))?.version == 1)
        #expect(cache.row(for: id(1000), asOf: StoreGeneration(1)) == nil)
        #expect(cache.row(for: id(7), asOf: StoreGeneration(1)) != nil)
    }
}

/// Rows of large answers are found by root entity.
@Suite struct `Row cache of several entities` {
    let layouts: RowLayouts
    let store = StoreNumber(rawValue: 9)

    init() throws {
        layouts = RowLayouts(
            try ManagedObjectModel(
                ["A", "B", "C"].map { EntityDescription($0, [.attribute("n", .integer64)]) }))
    }

    private func rows(
        _ root: UInt16, _ keys: ClosedRange<Int64>, version: Int64 = 1
    ) throws -> RowBatch {
        let layout = try #require(layouts.layout(of: EntityNumber(root)))
        var writer = RowWriter(store: store)
        for key in keys {
            writer.begin(layout, key: key, version: version)
            writer.endRow()
        }
        return writer.takeBatch()
    }

    private func id(_ root: UInt16, _ key: Int64) -> ObjectID {
        ObjectID(
            store: store, rootEntity: EntityNumber(root), entity: EntityNumber(root), key: key)
    }

    /// Returns a cache of three answers: rows of one entity, rows of another, and rows of both.
    private func cache() throws -> RowCache {
        let cache = RowCache()
        var both = try rows(1, 201...300)
        both.append(try rows(2, 201...300))
        for batch in [try rows(1, 1...100), try rows(2, 1...100), both] {
            cache.insert(batch, from: StoreGeneration(0))
        }
        return cache
    }

    @Test(arguments: [[1, 2, 3], [2, 1, 3], [3, 1, 2], [3, 2, 1], [1, 3, 2]] as [[UInt16]])
    func `has all rows, whichever entity is read first`(_ roots: [UInt16]) throws {
        let cache = try cache()
        let keys: [Int64] = [1, 100, 201, 300]

        let found = roots.map { root in
            cache.rows(for: keys.map { id(root, $0) }).found.map(\.id)
        }

        #expect(found == roots.map { root in root == 3 ? [] : keys.map { id(root, $0) } })
        #expect(cache.count == 400)
    }

    @Test func `accepts rows after a look-up of their entity found nothing`() throws {
        let cache = try cache()

        let before = cache.row(for: id(3, 1))
        cache.insert(try rows(3, 1...100), from: StoreGeneration(0))

        #expect(before == nil)
        #expect(cache.row(for: id(3, 1)) != nil)
        #expect(cache.row(for: id(1, 1)) != nil)
    }

    @Test(arguments: [1, 2, 3] as [UInt16])
    func `never returns rows that a save replaced, whichever entity is read first`(
        _ first: UInt16
    ) throws {
        let cache = try cache()
        var saved = try rows(1, 5...5, version: 2)
        saved.append(try rows(2, 205...205, version: 2))
        cache.adopt(
            saved: saved, deleted: [id(1, 206), id(2, 6)], before: StoreGeneration(0),
            after: StoreGeneration(1))

        _ = cache.row(for: id(first, 7))

        #expect(cache.row(for: id(1, 5))?.version == 2)
        #expect(cache.row(for: id(2, 205))?.version == 2)
        #expect(cache.row(for: id(1, 206)) == nil)
        #expect(cache.row(for: id(2, 6)) == nil)
        #expect(cache.row(for: id(1, 205))?.version == 1)
        #expect(cache.row(for: id(2, 5))?.version == 1)
    }
}

@Suite struct `Row table` {
    let layout: RowLayout

    init() throws {
        let layouts = RowLayouts(
            try ManagedObjectModel([EntityDescription("Thing", [.attribute("n", .integer64)])]))
        layout = try #require(layouts.layout(of: EntityNumber(1)))
    }

    private func id(_ key: Int64, root: UInt16 = 1) -> ObjectID {
        ObjectID(
            store: StoreNumber(rawValue: 9), rootEntity: EntityNumber(root),
            entity: EntityNumber(root), key: key)
    }

    @Test func `finds the remaining rows after many insertions and removals`() throws {
        var writer = RowWriter(store: StoreNumber(rawValue: 9))
        for key in Int64(0)..<1000 {
            writer.begin(layout, key: key, version: 1)
            writer.endRow()
        }
        let rows = writer.takeBatch()
        var generator = SeededRandom(seed: 42)
        var table = RowTable()
        var expected: Set<Int64> = []

        for _ in 0..<20_000 {
            let key = Int64(generator.next() % 1000)
            if generator.next() % 3 == 0 {
                table.remove(id(key))
                expected.remove(key)
            } else {
                table.insert(rows[row: Int(key)], from: StoreGeneration(1))
                expected.insert(key)
            }
        }

        #expect(table.count == expected.count)
        let found = (Int64(0)..<1000).filter { table.row(for: id($0))?.key == $0 }
        #expect(Set(found) == expected)
        #expect(table.row(for: id(1, root: 2)) == nil)
    }
}

@Suite struct `A table of rows` {
    /// Rows are added, replaced by newer versions and removed, in random order.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `keeps its invariants`(_ seed: UInt64) throws {
        let samples = try `Row cache`()
        var random = SeededRandom(seed: seed)
        var table = RowTable()
        var expected: [Int64: Int64] = [:]

        for step in 1..<400 {
            let key = Int64(random.next() % 40) * (random.next() % 5 == 0 ? 1 << 18 : 1) + 1
            if random.next() % 3 == 0 {
                table.remove(samples.id(key))
                expected[key] = nil
            } else {
                let batch = try samples.rows([key], version: Int64(step))
                table.insert(
                    try #require(batch.rows.first { _ in true }),
                    from: StoreGeneration(UInt64(step)))
                expected[key] = Int64(step)
            }
            try table.checkInvariants()
            #expect(table.count == expected.count)
        }

        #expect(
            expected.allSatisfy { table.row(for: samples.id($0.key))?.version == $0.value })
    }
}
