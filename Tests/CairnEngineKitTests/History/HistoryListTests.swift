import CairnModel
import CairnStore
import Foundation
import Testing

@testable import CairnEngineKit

@Suite struct `A history in memory` {
    private func transaction(_ number: Int64, changes: Int = 1) -> PersistentHistoryTransaction {
        let id = ObjectID(
            store: StoreNumber(rawValue: 1), rootEntity: EntityNumber(1), entity: EntityNumber(1),
            key: number)
        return PersistentHistoryTransaction(
            position: HistoryPosition(number: number, mark: UInt64(number) * 7), storeID: "A",
            timestamp: Date(timeIntervalSinceReferenceDate: Double(number)), processID: "p",
            bundleID: "p",
            changes: Array(repeating: PersistentHistoryChange(.insert, id), count: changes))
    }

    private func list(of count: Int64, limit: Int = 1_000_000) -> HistoryList {
        var list = HistoryList(limit: limit)
        for number in 1...count { list.append(transaction(number)) }
        return list
    }

    private func numbers(
        in list: HistoryList, after number: Int64?, limit: Int = .max
    ) throws -> [Int64] {
        let position = number.map { transaction($0).position }
        return try list.transactions(after: position, limit: limit).map(\.position.number)
    }

    @Test(arguments: [1, 255, 256, 257, 700, 1000] as [Int64])
    func `is read after each of its positions`(_ count: Int64) throws {
        let list = list(of: count)

        #expect(list.newest?.number == count)
        #expect(try numbers(in: list, after: nil) == Array(1...count))
        for number in 1...count {
            #expect(try numbers(in: list, after: number) == Array((number...count).dropFirst()))
            let few = try numbers(in: list, after: number, limit: 2)
            #expect(few == Array((number...count).dropFirst().prefix(2)))
        }
    }

    @Test(arguments: [1, 2, 256, 257, 300, 600] as [Int64])
    func `keeps the position before which it was purged`(_ number: Int64) throws {
        var list = list(of: 600)

        list.purge(before: transaction(number).position)

        #expect(list.oldest?.number == number)
        #expect(try numbers(in: list, after: nil) == Array(number...600))
        #expect(try numbers(in: list, after: number) == Array((number...600).dropFirst()))
        if number > 1 {
            #expect(throws: HistoryGap.purged) { try numbers(in: list, after: number - 1) }
        }
    }

    @Test func `forgets the oldest transactions above its limit, and keeps the limit at least`()
        throws
    {
        let list = list(of: 5000, limit: 1000)

        let kept = try numbers(in: list, after: nil)

        #expect((1000...2000).contains(kept.count))
        #expect(kept.last == 5000)
        #expect(throws: HistoryGap.purged) { try numbers(in: list, after: 1) }
        #expect(try numbers(in: list, after: kept[0]).count == kept.count - 1)
    }

    @Test func `of a few large transactions keeps the newest`() throws {
        var list = HistoryList(limit: 100)
        for number in 1...5 as ClosedRange<Int64> {
            list.append(transaction(number, changes: 90))
        }

        let kept = try numbers(in: list, after: nil)

        #expect(kept.last == 5 && kept.count < 4)
    }

    @Test func `has no positions of another branch`() throws {
        let list = list(of: 10)
        var other = transaction(4).position
        other.mark += 1

        #expect(throws: HistoryGap.anotherBranch) {
            try list.transactions(after: other, limit: 1)
        }
        #expect(throws: HistoryGap.anotherBranch) { try numbers(in: list, after: 11) }
    }

    @Test func `that begins after a position can be read from there`() throws {
        var list = HistoryList(after: transaction(7).position)

        #expect(list.newest?.number == 7)
        #expect(try numbers(in: list, after: 7) == [])
        list.append(transaction(8))
        #expect(try numbers(in: list, after: 7) == [8])
        #expect(throws: HistoryGap.purged) { try numbers(in: list, after: 6) }
        list.append(transaction(9))
        list.purge(before: transaction(9).position)
        #expect(throws: HistoryGap.purged) { try numbers(in: list, after: 7) }
    }
}
