import CairnModel
import CairnSQL
import CairnStore
import Testing

@Suite struct `A predicate in SQL` {
    private let book: Entity
    private let author: Entity

    init() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                "Book",
                [
                    .attribute("title", .string), .attribute("year", .integer64),
                    .attribute("price", .double), .toOne("author", "Author", inverse: "books"),
                    .toMany("tags", "Tag", inverse: "books"),
                ]),
            EntityDescription(
                "Author",
                [
                    .attribute("name", .string), .toMany("books", "Book", inverse: "author"),
                    .toOne("city", "City", inverse: "authors"),
                ]),
            EntityDescription(
                "City",
                [.attribute("name", .string), .toMany("authors", "Author", inverse: "city")]),
            EntityDescription(
                "Tag", [.attribute("name", .string), .toMany("books", "Book", inverse: "tags")]),
        ])
        book = try #require(model.entity(named: "Book"))
        author = try #require(model.entity(named: "Author"))
    }

    private func translator() -> PredicateTranslator<PlainDialect> {
        PredicateTranslator(PlainDialect(), table: "\"Book\"", of: book.rootEntity.number)
    }

    /// Returns the conditions, and whether something remains, and why.
    private func translated(
        _ format: String
    ) throws -> (conditions: [String], parameters: [SQLText.Parameter], reason: String?) {
        var translator = translator()
        let found = translator.conditions(
            of: try FetchPredicate(format: format).bound(to: book))
        #expect((found.remaining == nil) == (found.reason == nil))
        return (found.translated.map(\.text), found.translated.flatMap(\.parameters), found.reason)
    }

    @Test(arguments: [
        ("year == 3", #"("t0"."year" = ?)"#),
        ("NOT year == 3", #"(NOT ("t0"."year" IS ?))"#),
        ("year != 3", #"(NOT ("t0"."year" IS ?))"#),
        ("year == nil", #"("t0"."year" IS NULL)"#),
        ("3 < year", #"("t0"."year" > ?)"#),
        ("NOT 3 >= year", #"(NOT known("t0"."year" <= ?))"#),
        ("year < nil", "no"),
        (
            "year BETWEEN {1, 2}",
            #"(("t0"."year" >= ?) AND ("t0"."year" <= ?))"#
        ),
        ("year IN {}", "no"),
        ("year IN {3, 4}", #"(("t0"."year" IN (?,?)))"#),
        ("year IN {3, nil}", #"((("t0"."year" IN (?))) OR "t0"."year" IS NULL)"#),
        (
            "ANY tags.name == 'a'",
            #"(EXISTS (SELECT 1 FROM (pairs AS "t2" JOIN "Tag" AS "t1" ON "t1"."key" = "t2"."member") WHERE "t2"."owner" = "t0"."key" AND ("t1"."name" = ?)))"#
        ),
        (
            "tags.@count == 2",
            #"((SELECT COUNT("t1"."key") FROM (pairs AS "t2" JOIN "Tag" AS "t1" ON "t1"."key" = "t2"."member") WHERE "t2"."owner" = "t0"."key") = ?)"#
        ),
    ])
    func `has the expected conditions`(_ format: String, _ expected: String) throws {
        let found = try translated(format)

        #expect(found.conditions == [expected])
        #expect(found.parameters.count == expected.count { $0 == "?" })
        #expect(found.reason == nil)
    }

    @Test func `keeps the order of parameters, and joins each destination once`() throws {
        var translator = translator()
        let predicate = try FetchPredicate(
            format: "author.name == 'a' AND year == 2 AND author.city.name == 'c'")
        let found = translator.conditions(of: try predicate.bound(to: book))

        #expect(
            found.translated.flatMap(\.parameters) == [.text("a"), .integer(2), .text("c")])
        #expect(
            translator.from.text
                == #" FROM "Book" AS "t0" LEFT JOIN "Author" AS "t1" ON "t1"."key" = "t0"."author" LEFT JOIN "City" AS "t2" ON "t2"."key" = "t1"."city""#
        )
    }

    @Test(arguments: [
        ("title BEGINSWITH 'a'", "it knows no parts of texts"),
        ("title ==[c] 'a'", "SQL has no expression that always has the same result"),
        ("price == year", "SQL has no expression that always has the same result"),
        ("author.city.authors.@count == 1 AND tags.@count == 1", nil),
        (
            "SUBQUERY(tags, $t, ANY $t.books.author.city.name == 'x').@count == 1",
            "a statement has at most 3 tables"
        ),
    ])
    func `leaves the rest with a reason, and translates what it can`(
        _ format: String, _ reason: String?
    ) throws {
        let found = try translated("year == 1 AND (\(format))")

        #expect(found.conditions.first == #"("t0"."year" = ?)"#)
        #expect(found.reason == reason)
    }

    @Test func `leaves what is too large`() throws {
        let long = Array(repeating: "year == 1", count: 40).joined(separator: " OR ")
        let deep =
            String(repeating: "NOT (", count: 95) + "year == 1"
            + String(repeating: ")", count: 95)
        let many = "year IN {\((0..<30_001).map { "\($0)" }.joined(separator: ","))}"

        for format in [long, deep, many] {
            #expect(try translated(format).conditions.isEmpty)
        }
    }

    @Test func `knows that objects of other stores match nothing`() throws {
        for (store, expected) in [(7, #"("t0"."author" = ?)"#), (8, "no")] {
            let id = ObjectID(
                store: StoreNumber(rawValue: UInt32(store)), rootEntity: author.number,
                entity: author.number, key: 5)
            var translator = translator()
            let found = translator.conditions(
                of: try FetchPredicate(format: "author == %@", id)
                    .bound(to: book))

            #expect(found.translated.map(\.text) == [expected])
        }
    }

    @Test func `is sorted as far as the database can`() throws {
        var translator = translator()
        func path(_ name: String) throws -> BoundPath {
            BoundPath(leaf: .attribute(try #require(book.attribute(named: name))))
        }

        let terms = translator.order(by: [
            BoundSort(try path("title")), BoundSort(try path("year"), isAscending: false),
        ])
        let folded = translator.order(by: [
            BoundSort(try path("title"), textOrder: .caseInsensitive)
        ])

        #expect(terms?.map(\.text) == [#""t0"."title""#, #""t0"."year" DESC"#])
        #expect(folded == nil)
    }
}

@Suite struct `A name in SQL` {
    @Test(arguments: [
        ("ZNAME", "ZNAME", "\"ZNAME\""), ("name", "\"name\"", "\"name\""),
        ("AND", "\"AND\"", "\"AND\""), ("Z\"X", "\"Z\"\"X\"", "\"Z\"\"X\""),
    ])
    func `has quotes if it needs them, or always`(
        _ name: String, _ plain: String, _ quoted: String
    ) {
        #expect(SQLName(name).description == plain)
        #expect(SQLName(quoting: name).description == quoted)
        #expect(SQLName(name).text == name)
    }
}
