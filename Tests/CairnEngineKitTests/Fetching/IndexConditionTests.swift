import CairnModel
import Testing

@testable import CairnEngineKit

@Suite struct `Conditions that an index can answer` {
    private let fixture: EvaluationFixture

    init() throws { fixture = try EvaluationFixture() }

    private func condition(_ format: String, _ arguments: [any PredicateArgument] = []) throws
        -> IndexCondition?
    {
        let predicate = try FetchPredicate(format: format, arguments: arguments)
            .bound(to: try fixture.entity("Author"))
        guard case .comparison(let comparison) = predicate else { return nil }
        return IndexCondition(comparison)
    }

    @Test(arguments: [
        ("age = 30", "oneOf([30])"), ("30 = age", "oneOf([30])"),
        ("age IN {30, 70}", "oneOf([30, 70])"),
        ("age < 30", "below(30, false)"), ("30 >= age", "below(30, true)"),
        ("age > 30", "above(30, false)"), ("30 <= age", "above(30, true)"),
        ("age BETWEEN {1, 3}", "between(1, 3)"),
    ])
    func `name the attribute and its values`(_ format: String, _ expected: String) throws {
        let condition = try #require(try condition(format))

        guard case .attribute(let attribute) = condition.subject else {
            Issue.record("\(condition.subject)")
            return
        }
        #expect(attribute.name == "age")
        #expect(text(condition.test) == expected)
    }

    private func text(_ test: IndexCondition.Test) -> String {
        let numbers: [Int64] = test.values.map {
            guard case .integer(let number) = $0 else { return -1 }
            return number
        }
        return switch test {
        case .oneOf: "oneOf(\(numbers))"
        case .beginsWith: "beginsWith"
        case .between: "between(\(numbers[0]), \(numbers[1]))"
        case .below(_, let isInclusive): "below(\(numbers[0]), \(isInclusive))"
        case .above(_, let isInclusive): "above(\(numbers[0]), \(isInclusive))"
        }
    }

    @Test(arguments: [
        "age != 30", "age < count", "name BEGINSWITH[c] 'a'", "ANY books.pages = 3",
        "mentor.age = 30", "age < NULL", "age BETWEEN {NULL, 3}", "books.@count = 2",
        "name CONTAINS 'a'",
    ])
    func `are absent if rows have to be examined`(_ format: String) throws {
        #expect(try condition(format) == nil)
    }

    @Test func `keep nil among the values of an equality`() throws {
        let condition = try #require(try condition("age = NULL"))

        #expect(condition.test.values.map(\.isNull) == [true])
    }

    @Test func `give each object's key once, only for the store and the root entity`() throws {
        let (ann, emile) = (try fixture.id("Author", 3), try fixture.id("Poet", 2))
        let foreign = ObjectID(
            store: StoreNumber(rawValue: 1), rootEntity: ann.rootEntity, entity: ann.entity, key: 9)
        let tag = try fixture.id("Tag", 5)
        let ids = [ann, emile, ann, foreign, tag]

        let own = try #require(
            try condition("SELF IN {%@, %@, %@, %@, %@}", ids.map { Value.objectID($0) }))
        let mentor = try #require(try condition("mentor = %@", [Value.objectID(ann)]))

        #expect(own.keys(in: EvaluationFixture.store, below: ann.rootEntity) == [2, 3])
        #expect(mentor.keys(in: EvaluationFixture.store, below: ann.rootEntity) == [3])
        guard case .destination(let relationship) = mentor.subject else {
            Issue.record("\(mentor.subject)")
            return
        }
        #expect(relationship.name == "mentor")
    }

    @Test func `give no keys for nil or for other tests`() throws {
        let root = try fixture.entity("Author").number
        let none = try #require(try condition("mentor = NULL"))
        let range = try #require(try condition("age > 30"))

        #expect(none.keys(in: EvaluationFixture.store, below: root) == nil)
        #expect(range.keys(in: EvaluationFixture.store, below: root) == nil)
    }
}
