import CairnModel
import CairnRows
import Testing

@Suite struct `Row batch` {
    private func batch(_ keys: ClosedRange<Int64>, padding: Int = 0) throws -> RowBatch {
        let table = try RowFixture([.attribute("text", .string)])
        var writer = RowWriter(store: table.store)
        let text = Value.string(String(repeating: "x", count: padding))
        for key in keys { try table.write(["text": text], key: key, to: &writer) }
        return writer.takeBatch()
    }

    @Test func `appends and slices rows of several slabs`() throws {
        var rows = try batch(1...300, padding: 1000)
        rows.append(try batch(301...310))
        rows.append(RowBatch())

        #expect(rows.ids.map(\.key) == Array(1...310))
        #expect(rows.slice(120..<305).ids.map(\.key) == Array(121...305))
        #expect(rows.slice(4..<4).isEmpty)
    }

    @Test func `gathers and selects rows in any order`() throws {
        let rows = try batch(1...300, padding: 1000)

        let gathered = RowBatch([299, 0, 150, 0].map { rows[row: $0] })

        #expect(gathered.ids.map(\.key) == [300, 1, 151, 1])
        #expect(rows.selecting([299, 0, 150, 0]).ids == gathered.ids)
        #expect(gathered.rows.allSatisfy { Row.hasSameBytes($0, rows[row: Int($0.key) - 1]) })
    }

    @Test func `can contain only IDs`() throws {
        let ids = try batch(1...5).ids
        var alone = RowBatch(ids: ids)
        alone.append(RowBatch(ids: ids.reversed()))

        #expect(alone.holdsIDsOnly)
        #expect(alone.count == 10)
        #expect(alone.slice(4..<6).ids == [ids[4], ids[4]])
        #expect(alone.selecting([9, 0]).ids == [ids[0], ids[0]])
        #expect(alone.rowIndices.isEmpty)
    }

    @Test func `copies rows into a writer's own slabs`() throws {
        let rows = try batch(1...300, padding: 1000)
        var writer = RowWriter(store: StoreNumber(rawValue: 9))

        for row in rows.rows { writer.append(copyOf: row) }

        let copies = writer.takeBatch()
        #expect(copies.ids.map(\.key) == rows.ids.map(\.key))
        #expect(copies.ids.allSatisfy { $0.store.rawValue == 9 })
        #expect(zip(copies.rows, rows.rows).allSatisfy { Row.hasSameBytes($0, $1) })
    }

    @Test func `is not affected by rows that are written after it`() throws {
        let table = try RowFixture([.attribute("text", .string)])
        var writer = RowWriter(store: table.store)
        var batches: [RowBatch] = []
        for key in 1...2000 as ClosedRange<Int64> {
            try table.write(["text": .string("row \(key)")], key: key, to: &writer)
            batches.append(writer.takeBatch())
        }

        for (index, batch) in batches.enumerated() {
            #expect(table.value("text", batch[row: 0]) == .string("row \(index + 1)"))
        }
    }

    @Test func `keeps its rows while other slabs are recycled`() throws {
        let kept = try batch(1...200, padding: 1000)
        let bytes = kept.rows.map { $0.withBytes { Array($0) } }

        for round in 0..<50 { _ = try batch(1...200, padding: round) }

        #expect(kept.rows.map { $0.withBytes { Array($0) } } == bytes)
    }
}

@Suite struct `Slot set` {
    @Test func `agrees with a set of numbers`() {
        var slots: SlotSet = [3, 64]
        var numbers: Set<Int> = [3, 64]
        for step in 0..<500 {
            let slot = step * 37 % 200
            if step % 3 == 0 {
                slots.remove(slot)
                numbers.remove(slot)
            } else {
                slots.insert(slot)
                numbers.insert(slot)
            }
            #expect(slots.count == numbers.count)
            #expect(slots.contains(slot) == numbers.contains(slot))
        }

        #expect(Array(slots) == numbers.sorted())
        #expect(!slots.contains(100_000))
    }

    @Test func `is equal to another with the same slots, whatever it contained before`() {
        var emptied: SlotSet = [1, 130]
        emptied.remove(130)
        var joined: SlotSet = [1]
        joined.formUnion([70, 1])

        #expect(emptied == [1])
        #expect(emptied.hashValue == ([1] as SlotSet).hashValue)
        #expect(joined == [1, 70])
        emptied.remove(1)
        #expect(emptied.isEmpty)
        #expect(emptied == SlotSet())
    }
}
