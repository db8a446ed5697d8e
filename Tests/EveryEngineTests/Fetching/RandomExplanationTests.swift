import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// What `explain` says about random requests, compared with the engines' own counters and with a fetch without
/// indexes.
@Suite struct `Explanations of random requests` {
    private static let size = 400

    /// Writes random requests for items.
    private struct Generator {
        var random: SeededRandom
        private let size: Int

        init(_ seed: UInt64, _ size: Int) {
            random = SeededRandom(seed: seed)
            self.size = size
        }

        private mutating func number() -> Int { Int.random(in: 0..<size, using: &random) }
        private mutating func isChosen() -> Bool { Bool.random(using: &random) }

        private mutating func comparison() -> String {
            let (a, b) = (number(), number())
            let choices = [
                "code == '\(IndexedStack.code(a))'",
                "code IN {'\(IndexedStack.code(a))', '\(IndexedStack.code(b))', 'x'}",
                "section == \(a / 10) AND number == \(b % 10)", "section == \(a / 10)",
                "name == '\(IndexedStack.name(a))'", "name != '\(IndexedStack.name(a))'",
                "name > '\(IndexedStack.name(a))'", "name <= '\(IndexedStack.name(a))'",
                "name BEGINSWITH '\(IndexedStack.name(a).dropLast(a % 4))'",
                "name BEGINSWITH '\(IndexedStack.name(a).prefix(a % 12))'",
                "name CONTAINS '\(a % 10)'", "rank == \(a)", "rank IN {\(a), \(b), \(a)}",
                "rank BETWEEN {\(min(a, b)), \(max(a, b))}", "rank < \(a)", "rank >= \(a)",
                "price < \(a / 2)", "weight == \(a / 3)", "isNew == \(a % 2 == 0 ? "YES" : "NO")",
                "remark == nil", "remark >= '\(IndexedStack.code(a))'", "note == 'note \(a % 4)'",
                "uid == \"\(IndexedStack.uid(a))\"", "TRUEPREDICATE", "FALSEPREDICATE",
            ]
            return choices[Int.random(in: choices.indices, using: &random)]
        }

        mutating func predicate(_ depth: Int = 3) -> String {
            switch Int.random(in: 0..<(depth > 0 ? 6 : 2), using: &random) {
            case 0, 1: return comparison()
            case 2, 3: return "(\(predicate(depth - 1)) AND \(predicate(depth - 1)))"
            case 4: return "(\(predicate(depth - 1)) OR \(predicate(depth - 1)))"
            default: return "NOT (\(predicate(depth - 1)))"
            }
        }

        mutating func request() throws -> FetchRequest<ManagedObject> {
            let entities = ["Item", "Item", "Part"]
            var request = FetchRequest<ManagedObject>(
                entities[Int.random(in: entities.indices, using: &random)])
            request.predicate = try FetchPredicate(format: predicate())
            let keys = [
                "name", "rank", "price", "uid", "remark", "isNew", "weight", "note", "page",
            ]
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let key = keys[Int.random(in: keys.indices, using: &random)]
                request.sortDescriptors.append(FetchSortDescriptor(key, ascending: isChosen()))
            }
            if isChosen() { request.fetchLimit = 1 + number() % 40 }
            if isChosen() { request.fetchOffset = number() % 10 }
            return request
        }
    }

    @Test(arguments: everyEngine)
    func `agree with the engine's own counter and with a store without indexes`(
        _ type: StoreType
    ) throws {
        let indexed = try IndexedStack(type, Self.size)
        let plain = try IndexedStack(.inMemory, Self.size, indexes: [])
        let seed = SeededRandom.seed(of: "random explanations on \(type)")
        var generator = Generator(seed, Self.size)
        for _ in 0..<(200 * TestSetting.scale) {
            let request = try generator.request()
            let predicate = Comment(
                "seed \(seed), \(request.sortDescriptors): \(request.predicate ?? .constant(true))")

            let counter = StepCounter()
            let codes = try StepCounter.$rows.withValue(counter) {
                try Self.codes(request, indexed)
            }
            let expected = try Self.codes(request, plain)
            let explanation = try indexed.explain(request)

            let read = try #require(explanation.report?.rowsRead)
            if request.sortDescriptors.isEmpty, request.fetchLimit > 0 || request.fetchOffset > 0 {
                #expect(codes.count == expected.count, predicate)
            } else {
                #expect(codes == expected, predicate)
            }
            #expect(explanation.matchCount == codes.count, predicate)
            if type != .sqlite {
                #expect(read == counter.count, predicate)
            } else if explanation.report?.access.isEmpty ?? true {
                // SQLite counts its steps from row to row of a table, without the step to the first row.
                #expect(max(0, read - 1) == counter.count, predicate)
            } else if explanation.report?.access.contains(where: { $0.hasPrefix("SCAN") }) != true {
                #expect(counter.count == 0, predicate)
            }
        }
    }

    private static func codes(
        _ request: FetchRequest<ManagedObject>, _ stack: IndexedStack
    ) throws -> [String] {
        try stack.inContext { context in
            let objects: [ManagedObject] = try context.fetch(request)
            return try objects.map { try $0.value(forKey: "code") as? String ?? "" }
        }
    }
}
