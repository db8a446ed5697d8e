import CairnTestSupport
import Testing

@testable import CairnGraph

@Suite struct `Key table` {
    @Test func `keeps near, far and temporary keys apart`() {
        let table = KeyTable(space: 1)
        let keys: [Int64] = [1, 255, 256, 70_000, 1 << 40, .max, 2]
        let pointers = keys.map { UnsafeRawPointer(bitPattern: Int(truncatingIfNeeded: $0)) }

        for (key, pointer) in zip(keys, pointers) { _ = table.set(pointer, for: key) }
        let found = keys.map { table[$0] }
        let isNew = table.set(pointers[0], for: 1)
        let wasThere = table.set(nil, for: 256)

        #expect(found == pointers)
        #expect(!isNew)
        #expect(wasThere)
        #expect(table[256] == nil)
        #expect(table.entries.count == 6)
    }

    /// Few keys, so that pages have one pointer, several and none.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `finds what a dictionary finds`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let table = KeyTable(space: 1)
        var expected: [Int64: UnsafeRawPointer] = [:]

        for _ in 0..<4_000 {
            let key = Int64(random.next() % 40) * 21 + (random.next() % 2 == 0 ? 0 : 1 << 40)
            let number = UInt(random.next() % 4096) * 8 + 8
            let value = random.next() % 2 == 0 ? nil : UnsafeRawPointer(bitPattern: number)
            let changesCount = (expected[key] == nil) != (value == nil)
            #expect(table.set(value, for: key) == changesCount)
            expected[key] = value
            #expect(table[key] == value)
        }

        #expect(table.entries == expected.sorted { $0.key < $1.key }.map(\.value))
    }

    @Test func `finds a page that was far before the table grew`() {
        let table = KeyTable(space: 1)
        let pointer = UnsafeRawPointer(bitPattern: 8)
        let far = Int64(KeyPage.keyCount * 4200)
        _ = table.set(pointer, for: far)

        for page in 0..<1100 { _ = table.set(pointer, for: Int64(page * KeyPage.keyCount + 1)) }

        #expect(table[far] == pointer)
        #expect(table.entries.count == 1101)
    }
}

@Suite struct `Key page` {
    /// Pointers that fit into one word with their index, and pointers that do not.
    @Test(arguments: [0x7fff_0000_0008, 0x7fff_0000_0004, 0x7fff_0000_0001, 1 << 48, 1 << 63 | 8])
    func `is one pointer until a second one comes`(_ bits: UInt) throws {
        let first = try #require(UnsafeRawPointer(bitPattern: bits))
        let second = try #require(UnsafeRawPointer(bitPattern: bits &+ 16))
        let indices = 0..<KeyPage.keyCount

        var page = KeyPage(first, at: 63)
        defer { page.deallocate() }
        let atFirst = indices.map { page[$0] }
        let countsAgain = page.set(second, at: 63)
        let replaced = page.entries
        let removesNone = page.set(nil, at: 0)
        let counts = page.set(first, at: 0)

        #expect(atFirst == indices.map { $0 == 63 ? first : nil })
        #expect(!countsAgain && !removesNone && counts)
        #expect(replaced == [second])
        #expect(page.count == 2)
        #expect(page.entries == [first, second])
    }

    /// Random pointers, some further from each other than four bytes can say.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `finds what a dictionary finds, near or far`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let far = [0x5555_0000_0000, 0x7fff_0000_0000, 0x5555_0000_1000].map(UInt.init)
        // Half of the pages never see a pointer that is far away.
        let bases = seed % 2 == 0 ? far : [far[0], far[2]]
        func pointer() -> UnsafeRawPointer? {
            let base = bases[Int(random.next() % UInt64(bases.count))]
            return UnsafeRawPointer(bitPattern: base + UInt(random.next() % 4096) * 16)
        }
        let first = UnsafeRawPointer(bitPattern: far[0])!
        var page = KeyPage(first, at: 5)
        defer { page.deallocate() }
        var expected = [5: first]

        for _ in 0..<2_000 {
            let index = Int(random.next() % UInt64(KeyPage.keyCount))
            // The table lets go of a page with its last pointer.
            let isLast = expected.count == 1 && expected[index] != nil
            let value = random.next() % 3 == 0 && !isLast ? nil : pointer()
            let changesCount = (expected[index] == nil) != (value == nil)
            #expect(page.set(value, at: index) == changesCount)
            expected[index] = value
            #expect(page[index] == value)
            #expect(page.count == expected.count)
        }

        #expect((0..<KeyPage.keyCount).allSatisfy { page[$0] == expected[$0] })
        #expect(page.entries == expected.sorted { $0.key < $1.key }.map(\.value))
    }

    @Test func `keeps a pointer below and one at the edge of what four bytes reach`() throws {
        let first = UInt(0x7fff_0000_0000)
        let reach = UInt(Int32.max) * 8
        let pointers = [first, first - 16, first - 8, first - 8 + reach, first + reach, 16]
            .map { UnsafeRawPointer(bitPattern: $0) }
        var page = KeyPage(try #require(pointers[0]), at: 0)
        defer { page.deallocate() }

        for (index, pointer) in pointers.enumerated() { _ = page.set(pointer, at: index) }

        #expect(pointers.indices.allSatisfy { page[$0] == pointers[$0] })
    }
}
