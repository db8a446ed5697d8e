import Cairn
import Foundation
import GraphSupport
import Testing

/// Long lists and chains, whose length and depth SQLite limits.
@Suite struct `Long predicates` {
    private static func list(_ count: Int) -> [String] { (0..<count).map { "genre \($0 * 2)" } }

    private static func chain(_ count: Int, _ word: String, _ part: String) -> String {
        Array(repeating: part, count: count).joined(separator: " \(word) ")
    }

    private static let cases: [(format: String, listLength: Int?, expected: Int)] = [
        ("name IN %@", 8_000, 10), ("name IN[c] %@", 1_500, 10),
        (chain(1_500, "OR", "name = 'genre 1'"), nil, 1),
        (chain(1_500, "AND", "name != 'genre 1'"), nil, 19),
    ]

    /// Contains more constants than an SQLite statement may have variables.
    private static let longest: (format: String, listLength: Int?, expected: Int) = (
        "NOT name IN %@ OR name = nil", 33_000, 10
    )

    @Test(arguments: everyEngine)
    func `match the same objects on every engine`(_ type: StoreType) throws {
        let stack = try GraphStack(type)
        let cases = type == .sqlite ? Self.cases + [Self.longest] : Self.cases
        let counts = try stack.inContext { context in
            for number in 0..<20 { _ = try context.insert("Genre", ["name": "genre \(number)"]) }
            try context.save()
            var counts: [Int] = []
            for (format, listLength, _) in cases {
                var request = FetchRequest<ManagedObject>("Genre")
                request.predicate = try FetchPredicate(
                    format: format, arguments: listLength.map { [Self.list($0)] } ?? [])
                counts.append(try context.count(for: request))
            }
            return counts
        }

        #expect(counts == cases.map(\.expected))
    }
}
