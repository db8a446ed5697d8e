import CairnTesting
import Foundation
import GraphSupport
import Testing

@Suite struct `A fixture` {
    private func item(_ properties: [PropertyDescription], unique: [[String]] = [])
        -> [EntityDescription]
    {
        var item = EntityDescription("Item", properties)
        item.uniquenessConstraints = unique
        return [item]
    }

    // MARK: Values

    @Test(arguments: everyEngine)
    func `has a value for each required attribute, and can be saved`(
        _ type: StoreType
    ) async throws {
        let types: [AttributeType] = [
            .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date,
            .binary, .uuid, .uri, .transformable,
        ]
        var place = AttributeDescription("place", .composite, isOptional: false)
        place.compositeName = "Place"
        let entities = item(
            types.map { .attribute("\($0)", $0, isOptional: false) }
                + [.attribute(place), .attribute("spare", .string)])
        let composite = CompositeDescription(
            "Place",
            [
                AttributeDescription("city", .string, isOptional: false),
                AttributeDescription("note", .string),
            ])

        let text = try await build(entities, type, composites: [composite]) { fixtures in
            try fixtures.make(entity: "Item", count: 2)
            return try fixtures.context.graphText(omitting: ["transformable"])
        }

        #expect(
            text == """
                Item#1
                  binary: 8 bytes (cf6960a7)
                  boolean: false
                  date: 2001-01-01T00:00:00Z
                  decimal: 1
                  double: 1.0
                  float: 1.0
                  integer16: 1
                  integer32: 1
                  integer64: 1
                  place: (city: "city 1")
                  string: "string 1"
                  uri: https://example.com/1
                  uuid: 00000000-0000-4000-8000-000000000001
                Item#2
                  binary: 8 bytes (cf6963ea)
                  boolean: true
                  date: 2001-01-02T00:00:00Z
                  decimal: 2
                  double: 2.0
                  float: 2.0
                  integer16: 2
                  integer32: 2
                  integer64: 2
                  place: (city: "city 2")
                  string: "string 2"
                  uri: https://example.com/2
                  uuid: 00000000-0000-4000-8000-000000000002
                """)
    }

    /// Saves some fixtures and returns their values of an attribute.
    private func values(
        _ type: AttributeType, _ rules: [ValidationRule], count: Int, default: Value = .null,
        isUnique: Bool = false
    ) async throws -> [Value] {
        let entities = item(
            [
                .attribute(
                    "code", type, isOptional: false, defaultValue: `default`, validationRules: rules
                )
            ], unique: isUnique ? [["code"]] : [])
        return try await build(entities) { fixtures in
            try fixtures.make(entity: "Item", count: count).map { try $0["code"] }
        }
    }

    @Test func `has values within their ranges`() async throws {
        #expect(
            try await values(.integer16, [.minimum(10), .maximum(12)], count: 4) == [
                10, 11, 12, 10,
            ])
        #expect(try await values(.integer64, [.maximum(-5)], count: 1) == [-1_000_005])
        #expect(try await values(.integer32, [.maximum(2)], count: 3) == [1, 2, 1])
        #expect(
            try await values(.double, [.minimum(.double(0)), .maximum(.double(1))], count: 4) == [
                .double(0), .double(1), .double(0.75), .double(0.125),
            ])
        #expect(
            try await values(
                .decimal, [.minimum(.decimal(Decimal(3) / 2)), .maximum(.decimal(2))], count: 2)
                == [.decimal(Decimal(3) / 2), .decimal(Decimal(13) / 8)])
        let (first, last) = (
            Date(timeIntervalSince1970: 1_000), Date(timeIntervalSince1970: 2_000)
        )
        for value in try await values(
            .date, [.minimum(.date(first)), .maximum(.date(last))], count: 5)
        {
            guard case .date(let date) = value else {
                Issue.record("\(value)")
                return
            }
            #expect((first...last).contains(date))
        }
    }

    @Test func `has texts of the required length`() async throws {
        #expect(
            try await values(.string, [.minimumLength(9)], count: 1) == [.string("code 1xxx")])
        #expect(
            try await values(.string, [.maximumLength(3)], count: 2) == [
                .string("co1"), .string("co2"),
            ])
        #expect(
            try await values(.string, [.minimumLength(2), .maximumLength(2)], count: 1) == [
                .string("c1")
            ])
        #expect(
            try await values(.binary, [.maximumLength(1)], count: 1) == [.binary(Data("1".utf8))])
    }

    @Test(arguments: [
        "[A-Z]{3}", "[a-z]+", #"\d{4}"#, "[A-Z]{2}[0-9]{4}", ".+@.+[.]com", "[A-Z]-[0-9]+",
        "https?://.*", ".*",
    ])
    func `matches usual patterns`(_ pattern: String) async throws {
        let values = try await values(
            .string, [.matches(regularExpression: pattern)], count: 30, isUnique: true)

        #expect(Set(values).count == 30)
    }

    @Test func `with a pattern that cannot be met throws an error with advice`() async throws {
        let entities = item([
            .attribute(
                "code", .string, isOptional: false,
                validationRules: [.matches(regularExpression: "q{3}z")])
        ])

        let (error, isEmpty) = try await build(entities) { fixtures in
            let error = #expect(throws: FixtureError.self) { try fixtures.make(entity: "Item") }
            return (error, try fixtures.context.graphText().isEmpty)
        }

        #expect(
            error?.description
                == "A fixture of Item could not be created: no value that the rules of “code” accept"
                + " was found. Set “code” in the closure that configures the object.")
        #expect(isEmpty)
    }

    @Test func `meets conditions that can be satisfied by trial`() async throws {
        let even = ValidationRule.predicate(
            try FetchPredicate(format: "SELF IN {8, 16}"), warning: "")

        #expect(try await values(.integer64, [even], count: 2) == [8, 8])
    }

    @Test func `has its default values unless the rules refuse them`() async throws {
        #expect(try await values(.string, [], count: 1, default: "") == [.string("")])
        #expect(
            try await values(.string, [.minimumLength(1)], count: 1, default: "") == [
                .string("code 1")
            ])
    }

    @Test func `has distinct values for unique attributes, even instead of a default`()
        async throws
    {
        #expect(
            try await values(.string, [], count: 2, default: "", isUnique: true) == [
                .string("code 1"), .string("code 2"),
            ])
        #expect(
            try await values(
                .integer64, [.minimum(5), .maximum(6)], count: 2, isUnique: true) == [5, 6])
        let error = await #expect(throws: FixtureError.self) {
            try await values(.integer64, [.minimum(5), .maximum(6)], count: 3, isUnique: true)
        }
        #expect(error?.reason == "other fixtures already have all values that the rules accept")
    }

    @Test func `avoids unique values that the test has set`() async throws {
        let entities = item(
            [.attribute("code", .string, isOptional: false)], unique: [["code"]])

        let codes = try await build(entities) { fixtures in
            try fixtures.make(entity: "Item") { try $0.setValue("code 2", forKey: "code") }
            return try fixtures.make(entity: "Item", count: 2).map { try $0["code"] }
        }

        #expect(codes == [.string("code 3"), .string("code 4")])
    }

    @Test func `differs in one of several attributes that are unique together`() async throws {
        let entities = item(
            [
                .attribute("flag", .boolean, isOptional: false),
                .attribute("other", .boolean, isOptional: false),
                .attribute("label", .string, isOptional: false, defaultValue: "x"),
            ], unique: [["flag", "label"], ["other", "label"]])

        let count = try await build(entities) { fixtures in
            try fixtures.make(entity: "Item", count: 6)
            return try fixtures.context.count(for: FetchRequest<ManagedObject>("Item"))
        }

        #expect(count == 6)
    }

    @Test func `leaves an optional unique value empty`() async throws {
        let entities = item([.attribute("code", .string)], unique: [["code"]])

        let codes = try await build(entities) { fixtures in
            try fixtures.make(entity: "Item", count: 2).map { try $0["code"] }
        }

        #expect(codes == [.null, .null])
    }

    @Test func `begins with another number if told to`() async throws {
        let container = try await PersistentContainer.poetry()
        for first in [1, 100] {
            try await container.perform { context in
                try FixtureBuilder(context, firstNumber: first).make(Poet.self, count: 2)
                try context.save()
            }
        }

        #expect(try await container.poets() == ["name 1", "name 100", "name 101", "name 2"])
    }

    @Test func `keeps what the closure sets, even if a save refuses it`() async throws {
        let container = try await PersistentContainer.poetry()

        let names = try await container.perform { context in
            let fixtures = FixtureBuilder(context)
            let poet = try fixtures.make(Poet.self) { $0.name = "Keats" }
            let poems = try fixtures.make(Poem.self, count: 2) { poem, index in
                poem.poet = poet
                poem.lines = index * 10
            }
            try context.save()
            return poems.map { "\($0.title) \($0.lines) \($0.poet?.name ?? "")" }
        }

        #expect(names == ["title 1 0 Keats", "title 2 10 Keats"])
        let error = try await build(
            item([
                .attribute(
                    "age", .integer16, isOptional: false, validationRules: [.minimum(18)])
            ]), saves: false
        ) { fixtures in
            try fixtures.make(entity: "Item") { try $0.setValue(3, forKey: "age") }
            return #expect(throws: GraphError.self) { try fixtures.context.save() }
        }
        guard case .validation? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    /// This is the first example of docs/testing.md.
    @Test func `has values that its graph text shows`() async throws {
        let container = try await PersistentContainer.inMemory(for: Poet.self, Poem.self)

        try await container.perform { context in
            let fixtures = FixtureBuilder(context)
            let poet = try fixtures.make(Poet.self) { $0.name = "John Keats" }
            try fixtures.make(Poem.self, count: 2) { poem, _ in poem.poet = poet }
            try context.save()

            #expect(
                try context.graphText() == """
                    Poem#1
                      lines: 1
                      title: "title 1"
                      poet: Poet#1
                    Poem#2
                      lines: 2
                      title: "title 2"
                      poet: Poet#1
                    Poet#1
                      name: "John Keats"
                      poems: {Poem#1, Poem#2}
                    """)
        }
    }

    @Test func `satisfies the check of its class`() async throws {
        let container = try await PersistentContainer.inMemory(for: Ticket.self)

        let digits = try await container.perform { context in
            let tickets = try FixtureBuilder(context).make(Ticket.self, count: 2)
            try context.save()
            return tickets.map(\.digit)
        }

        #expect(digits == [7, 7])
    }

    @Test func `is deleted with everything created for it if its closure throws`() async throws {
        struct Stop: Error {}
        let entities = [
            EntityDescription("Book", [.toOne("author", "Author", isOptional: false)]),
            EntityDescription("Author", []),
        ]

        let text = try await build(entities) { fixtures in
            #expect(throws: Stop.self) {
                try fixtures.make(entity: "Book") { _ in
                    try fixtures.make(entity: "Author")
                    throw Stop()
                }
            }
            return try fixtures.context.graphText()
        }

        #expect(text == "Author#1")
    }
}

/// A class whose check accepts only one number.
private final class Ticket: ManagedObject, ValueValidating {
    @Managed var digit: Int

    func checkValue(_ value: inout Value, forKey key: String) throws {
        struct Refused: Error {}
        if value != .integer(7) { throw Refused() }
    }

    override class var entitySettings: EntitySettings { EntitySettings(of: Ticket.self) }
}
