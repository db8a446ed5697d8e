import CairnTestSupport
import Foundation
import Testing

@testable import CairnModel

@Suite struct `Predicate binder` {
    static let model = Result<ManagedObjectModel, any Error> {
        var description = ModelDescription([
            EntityDescription(
                "Author",
                [
                    .attribute("name", .string), .attribute("age", .integer16),
                    .attribute("isAlive", .boolean), .attribute("born", .date),
                    .attribute("rating", .float), .attribute("score", .double),
                    .attribute("balance", .decimal), .attribute("token", .uuid),
                    .attribute("site", .uri), .attribute("photo", .binary),
                    .attribute(Self.transient), .attribute(Self.address),
                    .toMany("books", "Book", inverse: "author"),
                    .toOne("mentor", "Author", inverse: "pupils"),
                    .toMany("pupils", "Author", inverse: "mentor"),
                ]),
            EntityDescription(
                "Book",
                [
                    .attribute("title", .string), .attribute("price", .decimal),
                    .attribute("pages", .integer32),
                    .toOne("author", "Author", inverse: "books"),
                ]),
        ])
        description.composites = [
            CompositeDescription(
                "Address", [AttributeDescription("city", .string)])
        ]
        return try ManagedObjectModel(description)
    }

    static var transient: AttributeDescription {
        var it = AttributeDescription("draft", .string)
        it.isTransient = true
        return it
    }
    static var address: AttributeDescription {
        var it = AttributeDescription("address", .composite)
        it.compositeName = "Address"
        return it
    }

    private func bound(
        _ text: String, _ arguments: any PredicateArgument...
    ) throws -> BoundPredicate {
        let model = try Self.model.get()
        let author = try #require(model.entity(named: "Author"))
        return try FetchPredicate(format: text, arguments: arguments).bound(to: author)
    }

    private func rightConstant(
        _ text: String, _ arguments: any PredicateArgument...
    ) throws -> Value? {
        let model = try Self.model.get()
        let author = try #require(model.entity(named: "Author"))
        let predicate = try FetchPredicate(format: text, arguments: arguments).bound(to: author)
        guard case .comparison(let comparison) = predicate,
            case .constant(let value) = comparison.right
        else { return nil }
        return value
    }

    @Test(arguments: [
        ("age = 3.0", Value.integer(3)), ("age = 3.5", .double(3.5)), ("age = YES", .integer(1)),
        ("isAlive = 1", .boolean(true)), ("isAlive = 0", .boolean(false)),
        ("isAlive = 7", .integer(7)), ("rating = 0.1", .float(0.1)), ("score = 2", .double(2)),
        ("score = 9007199254740993", .integer(9_007_199_254_740_993)),
        ("balance = 0.1", .decimal(Decimal(string: "0.1")!)), ("balance = 3", .decimal(3)),
        ("born > 60", .date(Date(timeIntervalSinceReferenceDate: 60))),
        ("score > CAST(60, 'NSDate')", .double(60)),
        (
            "token = '00000000-0000-0000-0000-000000000001'",
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        ),
        ("site = 'https://a.b/c'", .uri(URL(string: "https://a.b/c")!)),
        ("name = NULL", .null), ("mentor = NIL", .null), ("rating = 1e300", .double(1e300)),
    ])
    func `gives a constant the type of the other side`(_ text: String, _ expected: Value) throws {
        let value = try rightConstant(text)

        #expect(value == expected)
    }

    @Test(arguments: [
        ("'x' IN name", "name CONTAINS 'x'"), ("books CONTAINS $b", "$b IN books"),
        ("sum:(books.price) > 1", "books.@sum.price > 1"),
        ("count:(books) > 1", "books.@count > 1"), ("SELF.name = 'x'", "name = 'x'"),
        ("SOME books.pages = 1", "ANY books.pages = 1"), ("age ==[cd] 1", "age == 1"),
        ("name ==[n] 'x'", "name == 'x'"), ("CAST(born, 'NSNumber') > 1", "born > 1"),
        ("name.length > 2", "length:(name) > 2"), ("{1, 2} CONTAINS age", "age IN {1, 2}"),
        (
            "SUBQUERY(books, $x, $x.pages > 1).@count = 1",
            "count:(SUBQUERY(books, $y, $y.pages > 1)) = 1"
        ),
    ])
    func `normalises forms that mean the same`(_ text: String, _ same: String) throws {
        let id = ObjectID(
            store: StoreNumber(rawValue: 1), rootEntity: EntityNumber(2),
            entity: EntityNumber(2), key: 1)
        let model = try Self.model.get()
        let author = try #require(model.entity(named: "Author"))
        let first = try FetchPredicate(format: text).substituting(variables: ["b": id])
        let second = try FetchPredicate(format: same).substituting(variables: ["b": id])

        let (a, b) = (try first.bound(to: author), try second.bound(to: author))

        #expect(a == b)
    }

    @Test func `resolves a path over relationships, a collection and a composite`() throws {
        let model = try Self.model.get()
        let author = try #require(model.entity(named: "Author"))
        let book = try #require(model.entity(named: "Book"))
        let mentor = try #require(author.relationship(named: "mentor"))
        let books = try #require(author.relationship(named: "books"))
        let price = try #require(book.attribute(named: "price"))
        let address = try #require(author.attribute(named: "address"))

        let predicate = try bound("mentor.books.@max.price > 1 AND address.city = 'x'")

        let maximum = BoundPath(
            relationships: [mentor, books], leaf: .attribute(price), collectionOperator: .max)
        let city = BoundPath(leaf: .element(address, ["city"], .string))
        #expect(
            predicate
                == .and([
                    .comparison(
                        BoundComparison(.path(maximum), .greaterThan, .constant(.decimal(1)))),
                    .comparison(BoundComparison(.path(city), .equal, .constant("x"))),
                ]))
    }

    @Test(arguments: [
        ("nmae = 1", FetchPredicateError.unknownKey("nmae", entity: "Author", nearest: "name")),
        ("ANY books.titel = 'x'", .unknownKey("titel", entity: "Book", nearest: "title")),
        ("xyzzyplugh = 1", .unknownKey("xyzzyplugh", entity: "Author", nearest: nil)),
        ("address.town = 1", .unknownKey("town", entity: "Address", nearest: nil)),
        ("draft = 'x'", .transientKey("draft", entity: "Author")),
        ("name = $who", .unsetVariable("who")),
        ("name MATCHES '('", .invalidRegularExpression("(")),
        ("name MATCHES ''", .invalidRegularExpression("")),
        ("name MATCHES 'a)(b'", .invalidRegularExpression("a)(b")),
    ])
    func `names what is wrong`(_ text: String, _ expected: FetchPredicateError) {
        #expect(throws: expected) { _ = try bound(text) }
    }

    @Test(arguments: [
        "books.title = 'x'", "books = NULL", "ANY name = 'x'", "age BEGINSWITH '1'",
        "age = 'x'", "name = 1", "token = 'x'", "mentor > NULL AND mentor > mentor",
        "photo < photo", "name IN 3", "age BETWEEN 3", "age BETWEEN {1}", "name = {1}",
        "{1} = name", "name.@count > 1", "books.@sum.title > 1", "mentor.@count > 1",
        "add:to:(name, 1) = 2", "lowercase(age) = 'x'", "abs(age, 1) = 1", "age = books",
        "SUBQUERY(mentor, $x, $x.age = 1).@count = 0", "age.x = 1", "name LIKE age",
        "SUBQUERY(books.title, $x, $x = 1).@count = 0", "mentor = 'x'", "books.@min.author = NULL",
    ])
    func `refuses nonsense`(_ text: String) {
        let error = #expect(throws: FetchPredicateError.self) { _ = try bound(text) }

        if case .typeMismatch(let expression, let detail)? = error {
            #expect(!expression.isEmpty && !detail.isEmpty)
        } else {
            Issue.record("not a type mismatch: \(String(describing: error))")
        }
    }

    @Test(arguments: [
        "address = address", "FOO(name) = 1", "SUBQUERY(books, $x, $x.pages = 1) = 1",
        "books.@distinctUnionOfObjects.title = 1", "name MATCHES name", "books.@count.title = 1",
        "CAST(name, 'NSDate') > 1", "FUNCTION(name, 'foo:', 1) = 1",
    ])
    func `says what it does not support`(_ text: String) {
        let error = #expect(throws: FetchPredicateError.self) { _ = try bound(text) }

        if case .unsupported(_, let advice)? = error {
            #expect(!advice.isEmpty)
        } else {
            Issue.record("not unsupported: \(String(describing: error))")
        }
    }

    @Test func `refuses a predicate built too deep`() throws {
        var predicate = FetchPredicate.constant(true)
        for _ in 0..<1_000 { predicate = .not(predicate) }
        let model = try Self.model.get()
        let author = try #require(model.entity(named: "Author"))

        #expect(throws: FetchPredicateError.tooDeep(limit: 200)) {
            _ = try predicate.bound(to: author)
        }
    }

    @Test func `accepts sort keys that give a single ordered value`() throws {
        let model = try Self.model.get()
        let author = try #require(model.entity(named: "Author"))

        #expect(try BoundPath(keyPath: "mentor.name", entity: author).type == .string)
        #expect(try BoundPath(keyPath: "books.@count", entity: author).type == .integer64)
        #expect(try BoundPath(keyPath: "mentor", entity: author).type == .objectID)
        for wrong in ["books.title", "photo", "address"] {
            #expect(throws: FetchPredicateError.self) {
                try BoundPath(keyPath: wrong, entity: author)
            }
        }
    }

    @Test func `binds now to the time of binding`() throws {
        let model = try Self.model.get()
        let author = try #require(model.entity(named: "Author"))
        let born = try #require(author.attribute(named: "born"))
        let now = Date(timeIntervalSinceReferenceDate: 5)

        let predicate = try FetchPredicate(format: "born < now()").bound(to: author, now: now)

        let path = BoundExpression.path(BoundPath(leaf: .attribute(born)))
        #expect(
            predicate == .comparison(BoundComparison(path, .lessThan, .constant(.date(now)))))
    }

    @Test(arguments: [
        ("canonical:(name)", AttributeType.string), ("books.@count", .integer64), ("now()", .date),
        ("books.@sum.pages", .integer64), ("mentor.name", .string), ("books.@avg.price", .decimal),
        ("age + 1.5", .double), ("balance * 2", .decimal), ("length(name)", .integer64),
    ])
    func `binds the expressions of derived attributes`(
        _ text: String, _ type: AttributeType
    ) throws {
        let model = try Self.model.get()
        let author = try #require(model.entity(named: "Author"))

        let expression = try FetchExpression(format: text).bound(to: author)

        #expect(expression.type == type)
    }

    @Test func `never traps on random predicates`() throws {
        let model = try Self.model.get()
        let author = try #require(model.entity(named: "Author"))
        let seed = SeededRandom.seed(of: "binding random predicates")
        var maker = RandomPredicates(
            seed: seed,
            names: ["name", "age", "books", "mentor", "born", "@count", "@max", "pages", "self"])
        var boundCount = 0

        for _ in 0..<2_000 {
            let predicate = maker.predicate(depth: 2)
            do {
                _ = try predicate.bound(to: author)
                boundCount += 1
            } catch {
                try #require(!error.description.isEmpty, "seed \(seed)")
            }
        }

        #expect((1..<2_000).contains(boundCount), "seed \(seed)")
    }
}
