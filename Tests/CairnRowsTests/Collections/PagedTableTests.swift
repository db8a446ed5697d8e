import CairnTestSupport
import Testing

@testable import CairnRows
@testable import CairnStack

@Suite struct `A paged table` {
    @Test func `keeps near, far and temporary keys apart`() throws {
        let table = PagedTable(space: 1)
        let keys: [Int64] = [1, 255, 256, 70_000, 1 << 40, .max, 2]
        let words = keys.map { UInt($0) }

        for (key, word) in zip(keys, words) { _ = table.set(word, for: key) }
        let found = keys.map { table[$0] }
        let isNew = table.set(words[0], for: 1)
        let wasThere = table.set(0, for: 256)

        #expect(found == words)
        #expect(!isNew)
        #expect(wasThere)
        #expect(table[256] == 0)
        #expect(table.words.count == 6)
        try table.checkInvariants()
    }

    /// The keys are few, so that pages contain no pointer, one, or several.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `finds what a dictionary finds`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let table = PagedTable(space: 1)
        var expected: [Int64: UInt] = [:]

        for _ in 0..<4_000 {
            let key = Int64(random.next() % 40) * 21 + (random.next() % 2 == 0 ? 0 : 1 << 40)
            let number = UInt(random.next() % 4096) * 8 + 8
            let word = random.next() % 2 == 0 ? 0 : number
            let changesCount = (expected[key] == nil) != (word == 0)
            #expect(table.set(word, for: key) == changesCount)
            expected[key] = word == 0 ? nil : word
            #expect(table[key] == word)
            try table.checkInvariants()
        }

        #expect(table.words == expected.sorted { $0.key < $1.key }.map(\.value))
    }

    @Test func `finds a page that was out of reach before the table grew`() throws {
        let table = PagedTable(space: 1)
        let far = Int64(WordPage.wordCount * 4200)
        _ = table.set(8, for: far)

        for page in 0..<1100 { _ = table.set(8, for: Int64(page * WordPage.wordCount + 1)) }

        #expect(table[far] == 8)
        #expect(table.words.count == 1101)
        try table.checkInvariants()
    }
}

@Suite struct `A page of words` {
    /// Words that fit into 64 bits together with their index, and words that do not.
    @Test(arguments: [0x7fff_0000_0008, 0x7fff_0000_0004, 0x7fff_0000_0001, 1 << 48, 1 << 63 | 8])
    func `is a single word until a second word is added`(_ first: UInt) throws {
        let second = first &+ 16
        let indices = 0..<WordPage.wordCount

        var page = WordPage(first, at: 63)
        defer { page.deallocate() }
        let atFirst = indices.map { page[$0] }
        let countsAgain = page.set(second, at: 63)
        let replaced = page.words
        let removesNone = page.set(0, at: 0)
        try page.checkInvariants()
        let counts = page.set(first, at: 0)

        #expect(atFirst == indices.map { $0 == 63 ? first : 0 })
        #expect(!countsAgain && !removesNone && counts)
        #expect(replaced == [second])
        #expect(page.count == 2)
        #expect(page.words == [first, second])
        try page.checkInvariants()
    }

    /// Random words, some of them further apart than a four-byte offset can express.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `finds what a dictionary finds, near or far`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let far = [0x5555_0000_0000, 0x7fff_0000_0000, 0x5555_0000_1000].map(UInt.init)
        // With every second seed, the page receives no distant word.
        let bases = seed % 2 == 0 ? far : [far[0], far[2]]
        var page = WordPage(far[0], at: 5)
        defer { page.deallocate() }
        var expected = [5: far[0]]

        for _ in 0..<2_000 {
            let index = Int(random.next() % UInt64(WordPage.wordCount))
            // The table deallocates a page when its last word is removed, so the test never removes the last
            // word.
            let isLast = expected.count == 1 && expected[index] != nil
            let base = bases[Int(random.next() % UInt64(bases.count))]
            let removes = random.next() % 3 == 0 && !isLast
            let word = removes ? 0 : base + UInt(random.next() % 4096) * 16
            let changesCount = (expected[index] == nil) != (word == 0)
            #expect(page.set(word, at: index) == changesCount)
            expected[index] = word == 0 ? nil : word
            #expect(page[index] == word)
            #expect(page.count == expected.count)
        }

        #expect((0..<WordPage.wordCount).allSatisfy { page[$0] == expected[$0] ?? 0 })
        #expect(page.words == expected.sorted { $0.key < $1.key }.map(\.value))
        try page.checkInvariants()
    }

    @Test func `keeps words below the first one and at the edge of four bytes' range`() {
        let first = UInt(0x7fff_0000_0000)
        let reach = UInt(Int32.max) * 8
        let words = [first, first - 16, first - 8, first - 8 + reach, first + reach, 16]
        var page = WordPage(words[0], at: 0)
        defer { page.deallocate() }

        for (index, word) in words.enumerated() { _ = page.set(word, at: index) }

        #expect(words.indices.allSatisfy { page[$0] == words[$0] })
    }
}
