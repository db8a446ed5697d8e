import CairnModel
import Foundation
import Testing

@testable import CairnEngineKit
@testable import CairnRows

@Suite struct `Row filter` {
    /// Returns four authors: 1 is Ann with a mentor, books and a tag; 2 is Émile, her mentor; 3 has no
    /// values; 4 is a poet.
    private func library() throws -> EvaluationFixture {
        let fixture = try EvaluationFixture()
        let emile = try fixture.insert(
            "Author", 2,
            [
                "name": "\u{C9}mile", "age": 70, "isAlive": false, "score": -0.5,
                "rating": .float(0.1),
                "balance": .decimal(Decimal(string: "0.10")!), "count": .integer(.max),
                "born": .date(Date(timeIntervalSinceReferenceDate: -100)),
            ])
        let ann = try fixture.insert(
            "Author", 1,
            [
                "name": "Ann", "age": 30, "isAlive": true, "score": 2.5, "mentor": .objectID(emile),
                "count": .integer(.min), "born": .date(Date(timeIntervalSinceReferenceDate: 50)),
                "token": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
                "site": .uri(URL(string: "https://ann.example/a")!),
                "photo": .binary(Data([1, 2])),
                "address": .composite(["city": "Oslo"]),
            ])
        try fixture.insert("Author", 3, [:])
        try fixture.insert("Poet", 4, ["name": "STRASSE_*", "age": -1, "verses": 12])
        for (key, title, pages) in [(1, "Alpha", 100), (2, "Beta", 300)] as [(Int64, String, Int64)]
        {
            try fixture.insert(
                "Book", key,
                [
                    "title": .string(title), "pages": .integer(pages), "author": .objectID(ann),
                    "price": .decimal(Decimal(pages) / 8),
                ])
        }
        try fixture.insert("Book", 3, ["author": .objectID(emile)])
        let tag = try fixture.insert("Tag", 1, ["label": "x"])
        fixture.tagged = [ann: [tag], tag: [ann]]
        return fixture
    }

    @Test(
        arguments: [
            ("TRUEPREDICATE", [1, 2, 3, 4]), ("FALSEPREDICATE", []),
            // Numbers.
            ("age = 30", [1]), ("age != 30", [2, 3, 4]), ("age < 30", [4]), ("age <= 30", [1, 4]),
            ("age > 30", [2]), ("age >= 30.0", [1, 2]), ("age > 29.5", [1, 2]), ("age = 29.5", []),
            ("NOT (age < 30)", [1, 2, 3]), ("age = NULL", [3]), ("age != NULL", [1, 2, 4]),
            ("age < NULL", []), ("age BETWEEN {-1, 30}", [1, 4]), ("age BETWEEN {NULL, 30}", []),
            ("age IN {30, 70}", [1, 2]), ("age IN {30, NULL}", [1, 3]), ("age IN {}", []),
            ("NOT (age IN {30, 70})", [3, 4]), ("age IN {30.0, 1e3}", [1]),
            ("count = 9223372036854775807", [2]), ("count < 0.5", [1]),
            ("count > 9.2e18", [2]), ("count < -9223372036854775807", [1]),
            ("rating = 0.1", [2]), ("rating < 0.2", [2]), ("balance = 0.1", [2]),
            ("score > -1", [1, 2]), ("score = 2.5", [1]), ("score < age", [1, 2]),
            ("isAlive = YES", [1]), ("isAlive = 0", [2]), ("isAlive != 1", [2, 3, 4]),
            ("isAlive = 5", []), ("isAlive < TRUE", [2]), ("isAlive > -1", [1, 2]),
            ("born > 0", [1]), ("born = -100", [2]), ("born < CAST(0, 'NSDate')", [2]),
            ("born < now()", [1, 2]),
            // Text.
            ("name = 'Ann'", [1]), ("name = 'ann'", []), ("name ==[c] 'aNN'", [1]),
            ("name = '\u{C9}mile'", [2]), ("name = 'E\u{301}mile'", []),
            ("name ==[cd] 'emile'", [2]),
            ("name !=[c] 'ann'", [2, 3, 4]), ("name < 'B'", [1]), ("name BEGINSWITH 'A'", [1]),
            ("name ENDSWITH[c] 'N'", [1]), ("name CONTAINS 'n'", [1]),
            ("name CONTAINS ''", [1, 2, 4]),
            ("name BEGINSWITH[c] 'stra\u{DF}e'", [4]), ("name CONTAINS[cd] 'MIL'", [2]),
            ("name LIKE 'A*'", [1]), ("name LIKE '?nn'", [1]), ("name LIKE '*_\\\\*'", [4]),
            ("name LIKE[cd] '*m?le'", [2]), ("name LIKE ''", []), ("name MATCHES '[A-B]n+'", [1]),
            ("name MATCHES[c] 'an'", []), ("name MATCHES 'A|Ann'", [1]), ("name LIKE NULL", []),
            ("name IN {'Ann', 'x'}", [1]), ("name IN[c] {'ANN', NULL}", [1, 3]),
            ("name BETWEEN {'A', 'B'}", [1]), ("'nn' IN name", [1]), ("name BEGINSWITH NULL", []),
            // Other types.
            ("token = '01020304-0506-0708-090A-0B0C0D0E0F10'", [1]), ("token != NULL", [1]),
            ("site = 'https://ann.example/a'", [1]), ("photo = CAST('AQI=', 'NSData')", [1]),
            ("address.city = 'Oslo'", [1]), ("address.city = NULL", [2, 3, 4]),
            ("address != NULL", [1]),
            // Relationships.
            ("mentor = NULL", [2, 3, 4]), ("mentor.name = '\u{C9}mile'", [1]),
            ("mentor.name = NULL", [2, 3, 4]), ("mentor.mentor.name = NULL", [1, 2, 3, 4]),
            ("ANY books.pages > 200", [1]), ("ALL books.pages > 50", [1, 3, 4]),
            ("NONE books.pages > 200", [2, 3, 4]), ("ANY books.title = NULL", [2]),
            ("ANY books.title IN {'Beta', 'x'}", [1]), ("'Beta' IN books.title", [1]),
            ("books.@count = 0", [3, 4]), ("books.@count > 1", [1]), ("pupils.@count = 1", [2]),
            ("books.@sum.pages = 400", [1]), ("books.@sum.pages = 0", [2, 3, 4]),
            ("books.@avg.pages = 200", [1]), ("books.@max.pages = 300", [1]),
            ("books.@min.pages = NULL", [2, 3, 4]), ("books.title.@count = 0", [2, 3, 4]),
            ("books.@min.title = 'Alpha'", [1]), ("books.@sum.price = 50", [1]),
            ("mentor.books.@count = 1", [1]), ("ANY mentor.books.title = NULL", [1]),
            ("ANY pupils.books.pages = 300", [2]), ("ANY tags.label = 'x'", [1]),
            ("SUBQUERY(books, $b, $b.pages > 50).@count = 2", [1]),
            ("SUBQUERY(books, $b, $b.title = NULL AND $b.author = SELF).@count = 1", [2]),
            (
                "SUBQUERY(books, $b, SUBQUERY($b.author.books, $c, $c.pages < $b.pages).@count > 0).@count = 1",
                [1]
            ),
            // Expressions.
            ("age + 1 = 31", [1]), ("age / 0 = NULL", [1, 2, 3, 4]), ("age / 4 = 7", [1]),
            ("modulus:by:(age, 4) = 2", [1, 2]), ("age ** 2 = 900", [1]), ("abs(age) = 1", [4]),
            ("lowercase(name) = 'ann'", [1]), ("canonical:(name) = 'emile'", [2]),
            ("name.length = 3", [1]), ("sqrt(age) = NULL", [3, 4]), ("count + 1 > 9.2e18", [2]),
            ("TERNARY(age > 50, 'old', 'young') = 'old'", [2]), ("sum:(age, 1) = 31", [1]),
            ("max:(age, 40) = 40", [1, 3, 4]), ("balance * 3 = 0.3", [2]),
            ("age = 30 OR age = 70 OR age = -1", [1, 2, 4]),
            ("age = 30 AND name = 'Ann' AND score > 1", [1]),
        ] as [(String, [Int64])])
    func `accepts the rows that match the predicate`(_ text: String, _ expected: [Int64]) throws {
        let fixture = try library()

        let keys = try fixture.keys(of: "Author", where: text)

        #expect(keys == expected)
    }

    @Test func `compares objects by their IDs`() throws {
        let fixture = try library()
        let (ann, emile) = (try fixture.id("Author", 1), try fixture.id("Author", 2))
        let book = try fixture.id("Book", 2)

        #expect(try fixture.keys(of: "Author", where: "SELF = %@", ann) == [1])
        #expect(try fixture.keys(of: "Author", where: "SELF IN %@", [ann, emile]) == [1, 2])
        #expect(try fixture.keys(of: "Author", where: "mentor = %@", emile) == [1])
        #expect(try fixture.keys(of: "Author", where: "mentor != %@", emile) == [2, 3, 4])
        #expect(try fixture.keys(of: "Author", where: "mentor IN %@", [emile, ann]) == [1])
        #expect(try fixture.keys(of: "Author", where: "ANY books = %@", book) == [1])
        #expect(try fixture.keys(of: "Author", where: "books CONTAINS %@", book) == [1])
        #expect(try fixture.keys(of: "Book", where: "author.mentor = %@", emile) == [1, 2])
    }

    @Test func `treats a reference to a missing object as having no values`() throws {
        let fixture = try library()
        try fixture.insert("Book", 9, ["author": .objectID(try fixture.id("Author", 99))])

        #expect(try fixture.keys(of: "Book", where: "author != NULL") == [1, 2, 3, 9])
        #expect(try fixture.keys(of: "Book", where: "author.age = NULL") == [9])
        #expect(try fixture.keys(of: "Book", where: "author.books.@count = 0") == [9])
    }

    @Test func `reads rows of subentities, whose slots differ`() throws {
        let fixture = try library()

        #expect(try fixture.keys(of: "Author", where: "name = 'STRASSE_*' AND age < 0") == [4])
        #expect(try fixture.keys(of: "Poet", where: "verses = 12") == [4])
    }

    @Test func `keeps a batch's order`() throws {
        let fixture = try library()
        let author = try fixture.entity("Author")
        let ids = fixture.ids(of: author)
        let batch = RowBatch(ids.reversed().compactMap { fixture.rows[$0] })
        let predicate = try FetchPredicate(format: "age > 0").bound(to: author)
        let filter = try RowFilter(predicate, layouts: fixture.layouts, resolver: fixture)

        let result = try filter.filter(batch)

        #expect(result.ids.map(\.key) == [2, 1])
    }
}
