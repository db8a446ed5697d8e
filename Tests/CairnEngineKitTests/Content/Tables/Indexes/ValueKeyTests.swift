import CairnModel
import CairnTestSupport
import Foundation
import Testing

@testable import CairnEngineKit

/// The entries of an attribute's index, compared with the values that they stand for.
@Suite struct `Entries of an index of values` {
    /// Texts that begin alike, some with zero bytes, and whose scalars have up to four bytes.
    private static func texts(_ random: inout SeededRandom) -> [String] {
        let parts = ["a", "b", "\0", "é", "e\u{301}", "\u{10FFFF}", "12345678", "z"]
        return (0..<300).map { _ in
            (0..<Int.random(in: 0...6, using: &random)).map { _ in
                parts[Int.random(in: parts.indices, using: &random)]
            }.joined()
        }
    }

    private func entry(_ text: String?, _ row: Int64 = 1) throws -> ValueKey {
        try #require(ValueKey(text.map(Value.string) ?? .null, among: .string, row: row))
    }

    @Test func `of texts have the order of their bytes`() throws {
        var random = SeededRandom(seed: SeededRandom.seed(of: "entries of texts"))
        let texts = Self.texts(&random)

        for (a, b) in zip(texts, texts.shuffled(using: &random)) {
            let (left, right) = (try entry(a), try entry(b))
            #expect((left < right) == a.utf8.lexicographicallyPrecedes(b.utf8))
            #expect(left.hasValue(of: right) == a.utf8.elementsEqual(b.utf8))
            #expect(try entry(nil) < left)
            let later = try entry(a, 2)
            #expect(left < later && !(later < left) && left.hasValue(of: later))
        }
    }

    @Test func `are in a range exactly if their values are`() throws {
        var random = SeededRandom(seed: SeededRandom.seed(of: "ranges of texts"))
        let texts = Self.texts(&random)

        for (bound, text) in zip(texts, texts.shuffled(using: &random)) {
            let isBelow = text.utf8.lexicographicallyPrecedes(bound.utf8)
            let isEqual = text.utf8.elementsEqual(bound.utf8)
            let value = Value.string(bound)
            let tests: [(IndexCondition.Test, Bool)] = [
                (.oneOf([value]), isEqual), (.below(value, isInclusive: false), isBelow),
                (.below(value, isInclusive: true), isBelow || isEqual),
                (.above(value, isInclusive: true), !isBelow),
                (.above(value, isInclusive: false), !isBelow && !isEqual),
                (.beginsWith(value), text.utf8.starts(with: bound.utf8)),
            ]
            for (test, isIncluded) in tests {
                let range = try #require(ValueRange.ranges(test, .string)?.first)
                let entry = try entry(text, 3)
                let isFound = !(entry < range.from) && range.reaches(entry)
                // A short beginning may also be reached by a text with zero bytes.
                if isIncluded { #expect(isFound) }
                if case .beginsWith = test { continue }
                #expect(isFound == isIncluded)
            }
        }
    }

    @Test(arguments: [true, false])
    func `are walked in groups of equal values`(isAscending: Bool) throws {
        var random = SeededRandom(seed: SeededRandom.seed(of: "walks"))
        let texts: [String?] = Self.texts(&random) + [nil, nil]
        let entries = try texts.enumerated().map { try entry($1, Int64($0)) }.sorted()
        let map = SortedMap<ValueKey, Void>(
            count: entries.count, key: { entries[$0] }, value: { _ in () })
        var walk = IndexWalk(map, ValueRange(), isAscending: isAscending)
        var values: [[String?]] = []
        var rows: [Int64] = []

        while case let keys = walk.keys(atLeast: 1), !keys.isEmpty {
            #expect(keys == keys.sorted())
            values.append(keys.map { texts[Int($0)] })
            rows += keys
        }

        #expect(rows.sorted() == texts.indices.map(Int64.init))
        #expect(values.allSatisfy { Set($0.map { $0.map { Array($0.utf8) } }).count == 1 })
        let firsts = values.compactMap { $0[0].map { Array($0.utf8) } }
        let isSorted = zip(firsts, firsts.dropFirst()).allSatisfy { a, b in
            isAscending ? a.lexicographicallyPrecedes(b) : b.lexicographicallyPrecedes(a)
        }
        #expect(isSorted)
        #expect((isAscending ? values.first : values.last) == [nil, nil])
    }
}
