import CairnModel
import Foundation
import Synchronization
import Testing

@testable import CairnEngineKit
@testable import CairnStore

@Suite struct `Reference table` {
    private let table = ReferenceTable(entity: "Book", kind: .text)

    @Test func `gives each reference a number, from 1, which stays the same`() throws {
        let numbers = try table.intern([.text("a"), .text("b"), .text("a")])
        let again = try table.intern([.text("c"), .text("b")])

        #expect(numbers == [1, 2, 1])
        #expect(again == [3, 2])
        #expect(table.reference(of: 2) == .text("b"))
        #expect(table.number(of: .text("c")) == 3)
        #expect(table.number(of: .text("d")) == nil)
        for number in [-1, 0, 4, .max] as [Int64] { #expect(table.reference(of: number) == nil) }
    }

    @Test func `distinguishes texts by their bytes`() throws {
        let texts = ["\u{e9}", "e\u{301}", "É", "", " ", "\u{0}"]

        let numbers = try table.intern(texts.map(ReferenceObject.text))

        #expect(texts[0] == texts[1])
        #expect(Set(numbers).count == texts.count)
    }

    @Test func `reserves consecutive numbers for new references`() throws {
        _ = try table.intern([.text("a")])

        let range = try table.reserve([.text("b"), .text("c")])
        let known = try table.reserve([.text("d"), .text("a")])
        let twice = try table.reserve([.text("e"), .text("e")])

        #expect(range == 2..<4)
        #expect(known == nil && twice == nil)
        #expect(try table.intern([.text("d"), .text("c")]) == [4, 3])
    }

    @Test func `binds a number that was reserved without a reference only once`() throws {
        _ = try table.intern([.text("known")])
        let range = try table.reserve(2)

        #expect(table.reference(of: 2) == nil)
        #expect(table.bind(2, to: .text("new")))
        #expect(table.bind(2, to: .text("new")))
        #expect(!table.bind(2, to: .text("other")))
        #expect(!table.bind(3, to: .text("new")))
        #expect(!table.bind(3, to: .text("known")))
        #expect(range == 2..<4)
        #expect(table.number(of: .text("new")) == 2)
    }

    @Test func `forgets a reverted binding, and never reuses its number`() throws {
        let number = try table.reserve(1).lowerBound
        _ = table.bind(number, to: .text("new"))

        table.unbind(number)

        #expect(table.reference(of: number) == nil)
        #expect(table.number(of: .text("new")) == nil)
        #expect(try table.intern([.text("new")]) == [number + 1])
    }

    @Test func `creates references for numbers that came from elsewhere`() throws {
        table.adopt([3, 1_000_000], isReserved: true)
        let made = table.reference(of: 3)
        table.adopt([3], isReserved: true)

        let next = try table.reserve(1)

        #expect(made?.kind == .text)
        #expect(table.reference(of: 3) == made)
        #expect(table.reference(of: 1_000_000) != nil)
        #expect(table.reference(of: 2) == nil)
        #expect(next == 1_000_001..<1_000_002)
    }

    @Test func `does not reserve a number that only a related row has named`() throws {
        table.adopt([2], isReserved: false)

        let next = try table.reserve(2)
        let first = try table.reserve(1)

        #expect(next == 3..<5)
        #expect(first == 5..<6)
    }

    @Test func `throws an error when no number is left`() throws {
        table.adopt([.max], isReserved: true)

        for body in [
            { _ = try table.reserve(1) }, { _ = try table.intern([.text("new")]) },
        ] as [() throws -> Void] {
            #expect {
                try body()
            } throws: { error in
                if case StoreError.keysExhausted(entity: "Book") = error { true } else { false }
            }
        }
        #expect(table.reference(of: .max) != nil)
    }

    @Test func `keeps large numbers when the consecutive ones reach them`() throws {
        table.adopt([2000], isReserved: false)
        let far = table.reference(of: 2000)

        _ = try table.intern((1...3000).map { .text("\($0)") })

        #expect(table.reference(of: 2000) == far)
        #expect(table.number(of: try #require(far)) == 2000)
        #expect(table.reference(of: 1999) == .text("1999"))
        #expect(table.reference(of: 2001) == .text("2000"))
    }

    @Test func `gives threads that ask at the same time the same numbers`() async throws {
        let table = table
        let all = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for seed in 0..<8 {
                group.addTask {
                    let order = (0..<500).map { ($0 * 7 + seed * 61) % 500 }
                    let numbers = try table.intern(order.map { .text("\($0)") })
                    return zip(order, numbers).sorted { $0.0 < $1.0 }.map(\.1)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(Set(all).count == 1)
        #expect(Set(all[0]) == Set(1...500))
    }
}

@Suite struct `Size of an object ID` {
    @Test func `is that of its numbers, without reference counting`() {
        #expect(MemoryLayout<ObjectID>.size == 16)
        #expect(MemoryLayout<ObjectID>.stride == 16)
        #expect(_isPOD(ObjectID.self))
    }
}
