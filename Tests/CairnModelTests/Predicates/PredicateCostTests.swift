import CairnTestSupport
import Foundation
import Testing

@testable import CairnModel

/// The cost of a predicate is proportional to its length. The tests count steps at two sizes.
@Suite struct `Cost of predicates` {
    /// Texts of approximately the given number of bytes, one for each way in which a predicate can be long.
    static let texts: [(name: String, text: @Sendable (Int) -> String)] = [
        ("numbers", { byteCount in "a IN {" + list("123456", byteCount) + "}" }),
        ("negative numbers", { byteCount in "a IN {" + list("-12345", byteCount) + "}" }),
        ("texts", { byteCount in "a IN {" + list("'f\u{FC}nf'", byteCount) + "}" }),
        ("key paths", { byteCount in "a IN {" + list("b.c.d", byteCount) + "}" }),
        ("calls", { byteCount in "a IN {" + list("lowercase(b.c)", byteCount) + "}" }),
        (
            "casts",
            { byteCount in "a IN {" + list("CAST('1.5', 'NSDecimalNumber')", byteCount) + "}" }
        ),
        (
            "comparisons",
            { byteCount in repeated("mentor.name == 'x'", byteCount, by: " OR ") }
        ),
        (
            "subqueries",
            { byteCount in repeated("SUBQUERY(a, $x, $x.b = 1).@count > 0", byteCount, by: " AND ")
            }
        ),
        ("one name", { byteCount in String(repeating: "n", count: byteCount) + " = 1" }),
        (
            "one text",
            { byteCount in "a = '" + String(repeating: "\\t", count: byteCount / 2) + "'" }
        ),
        ("blanks", { byteCount in "a" + String(repeating: " ", count: byteCount) + "= 1" }),
    ]

    private static func list(_ element: String, _ byteCount: Int) -> String {
        repeated(element, byteCount, by: ",")
    }

    private static func repeated(_ part: String, _ byteCount: Int, by separator: String) -> String {
        let count = max(1, byteCount / (part.utf8.count + separator.utf8.count))
        return Array(repeating: part, count: count).joined(separator: separator)
    }

    @Test(arguments: texts.indices)
    func `of reading and describing grows with the text`(_ index: Int) throws {
        let text = Self.texts[index].text
        func steps(_ byteCount: Int) throws -> Int {
            let source = text(byteCount)
            return try StepCounter.steps {
                let predicate = try FetchPredicate(format: source)
                _ = predicate.description
            }
        }

        let (few, many) = (try steps(1 << 11), try steps(1 << 15))

        #expect(few > 1 << 10, "the text was not counted: \(Self.texts[index].name)")
        #expect(many <= few * 17, "\(Self.texts[index].name): \(few) steps, then \(many)")
    }

    @Test func `of describing a deep predicate grows with its depth`() {
        func steps(_ depth: Int) -> Int {
            var predicate = FetchPredicate.comparison(
                PredicateComparison(.keyPath(["name"]), .equal, .constant(.string("x"))))
            for _ in 0..<depth { predicate = .not(predicate) }
            return StepCounter.steps { _ = predicate.description }
        }

        let (few, many) = (steps(10), steps(160))

        #expect(many <= few * 16, "\(few) steps, then \(many)")
    }

    @Test(arguments: ["numbers", "texts", "key paths"])
    func `of binding a list grows with its length`(_ kind: String) throws {
        let model = try CostModel.make()
        let entity = try #require(model.entity(named: "Author"))
        func steps(_ count: Int) throws -> Int {
            let elements: [FetchExpression] = (0..<count).map { number in
                switch kind {
                case "numbers": .constant(.integer(Int64(number)))
                case "texts": .constant(.string("\(number)"))
                default: .keyPath(["mentor", "name"])
                }
            }
            let left: FetchExpression = .keyPath([kind == "numbers" ? "age" : "name"])
            let predicate = FetchPredicate.comparison(
                PredicateComparison(left, .in, .list(elements)))
            return try StepCounter.steps { _ = try predicate.bound(to: entity) }
        }

        let (few, many) = (try steps(100), try steps(8_000))

        #expect(few >= 100, "the elements were not counted")
        #expect(many <= few * 81, "\(few) steps, then \(many)")
    }

    @Test func `is bounded by describing only the beginning of a too deep predicate`() {
        var predicate = FetchPredicate.constant(true)
        for _ in 0..<10_000 { predicate = .not(predicate) }

        let text = predicate.description

        #expect(text.hasPrefix("NOT (NOT ("))
        #expect(text.contains("…"))
    }

    @Test func `is bounded by leaving the variables of a too deep predicate alone`() {
        var predicate = FetchPredicate.comparison(
            PredicateComparison(.variable("x"), .equal, .constant(1)))
        for _ in 0..<10_000 { predicate = .not(predicate) }

        let filled = predicate.substituting(variables: ["x": 1])

        #expect(filled.depth > FetchPredicate.depthLimit)
    }

    /// Threads have 8 MB of stack on Linux. A debug build needs the most.
    @Test func `of the deepest predicate that can be read fits on a small stack`() throws {
        let model = try CostModel.make()
        let deepest = FetchPredicate.depthLimit / 2 - 4
        let texts = [
            String(repeating: "(NOT ", count: deepest) + "age = 1"
                + String(repeating: ")", count: deepest),
            String(repeating: "-(", count: deepest) + "age" + String(repeating: ")", count: deepest)
                + " = 1",
            String(repeating: "TERNARY(TRUEPREDICATE, 1, ", count: deepest) + "age"
                + String(repeating: ")", count: deepest) + " = 1",
        ]
        let failures = SmallStack.run(byteCount: 4 << 20) {
            texts.compactMap { text -> String? in
                do {
                    let author = model.entity(named: "Author")
                    let predicate = try FetchPredicate(format: text)
                    guard let author else { return "no entity" }
                    _ = try predicate.bound(to: author)
                    return try FetchPredicate(format: predicate.description) == predicate
                        ? nil : "another predicate"
                } catch {
                    return "\(error)"
                }
            }
        }

        #expect(failures == [])
    }

    @Test func `is bounded by keeping errors about a long predicate short`() {
        let list = Self.list("'x'", 1 << 15)

        let error = #expect(throws: FetchPredicateError.self) {
            try FetchPredicate(format: "a IN {\(list)}} OR")
        }

        #expect((error?.description.count ?? .max) < 500)
        #expect(error?.description.contains("^") == true)
    }
}

private enum CostModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            ModelDescription([
                EntityDescription(
                    "Author",
                    [
                        .attribute("name", .string), .attribute("age", .integer64),
                        .toOne("mentor", "Author", inverse: "pupils"),
                        .toMany("pupils", "Author", inverse: "mentor"),
                    ])
            ]))
    }
}
