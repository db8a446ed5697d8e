import Cairn
import Foundation
import GraphSupport
import Testing

private final class Title: ManagedObject {}

@Suite struct `A fetch request template` {
    private static func model(
        _ formats: [String: String], entity: String = "Book",
        _ change: (inout FetchRequestTemplate) -> Void = { _ in }
    ) throws -> ManagedObjectModel {
        var description = ModelDescription(Library.entities)
        for (name, format) in formats {
            let condition = FetchRequestTemplate.Condition.predicate(
                try FetchPredicate(format: format))
            var template = FetchRequestTemplate(entity: entity, condition: condition)
            template.sortDescriptors = [.init("title")]
            change(&template)
            description.fetchRequestTemplates[name] = template
        }
        return try ManagedObjectModel(description)
    }

    private static func titles(
        _ context: ManagedObjectContext, _ format: String, _ values: [String: Any]
    ) throws -> String {
        let request = try model(["books": format]).fetchRequestFromTemplate(
            withName: "books", substitutionVariables: values)
        return try Shelf.titles(try context.fetch(request))
    }

    @Test(arguments: chosenEngines)
    func `takes values, lists and objects for its variables`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let ann = try context.only("Author", where: "name == 'Ann'")
            let cases: [(String, [String: Any], String)] = [
                ("title == $T", ["T": "b"], "b"), ("pages > $P", ["P": 25], "cde"),
                ("pages > $P", ["P": NSNumber(value: 25.5)], "cde"),
                ("pages IN $P", ["P": [10, 20]], "ab"),
                ("pages IN $P", ["P": [10, NSNumber(value: 30)] as [Any]], "ac"),
                ("title IN $T", ["T": Set(["a", "e"])], "ae"),
                ("title IN $T", ["T": ["a" as AnyHashable]], "a"),
                ("pages BETWEEN $R", ["R": [10, 20]], "ab"),
                ("author == $WHO", ["WHO": ann], "ab"),
                ("author == $WHO", ["WHO": ann.objectID], "ab"),
                ("author IN $WHO", ["WHO": [ann]], "ab"),
                ("author IN $WHO", ["WHO": Set([ann])], "ab"),
                ("author IN $WHO", ["WHO": try ann.objects("pupils")], "c"),
                ("author == $WHO", ["WHO": NSNull()], "de"),
                ("author == $WHO", ["WHO": ManagedObject?.none as Any], "de"),
                ("author.alias == $WHO.alias", ["WHO": ann], "ab"),
                ("author.name IN $WHO.pupils.name", ["WHO": ann], "c"),
                ("title == 'a'", ["UNUSED": 1], "a"),
            ]
            for (format, values, expected) in cases {
                #expect(try Self.titles(context, format, values) == expected, "\(format)")
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `is fetched as objects of a class`(_ type: StoreType) throws {
        var classes = ObjectClasses()
        classes.register(Title.self, as: "Book")
        try inShelf(type, classes: classes) { context throws in
            let model = try Self.model(["few": "pages < $P"]) { $0.includesSubentities = false }
            let request: FetchRequest<Title> = try model.fetchRequestFromTemplate(
                withName: "few", substitutionVariables: ["P": 25])
            let wrong: FetchRequest<Title> = try Self.model(["tags": "name == nil"], entity: "Tag")
            { $0.sortDescriptors = [] }.fetchRequestTemplate(forName: "tags")
            let found: [Title] = try context.fetch(request)

            #expect(found.count == 2)
            #expect(throws: GraphError.self) { try context.fetch(wrong) as [Title] }
        }
    }

    @Test func `describes the whole request`() throws {
        let model = try Self.model(["all": "TRUEPREDICATE"]) { template in
            template.sortDescriptors = [.init("title"), .init("pages", isAscending: false)]
            template.resultType = .count
            (template.fetchLimit, template.fetchOffset, template.fetchBatchSize) = (3, 2, 20)
            template.includesSubentities = false
            template.includesPendingChanges = false
            template.includesPropertyValues = false
            template.returnsDistinctResults = true
        }
        let request = try model.fetchRequestTemplate(forName: "all")

        #expect(request.entityName == "Book")
        #expect(
            request.sortDescriptors == [
                FetchSortDescriptor("title"), FetchSortDescriptor("pages", ascending: false),
            ])
        #expect(request.resultType == .count)
        #expect(request.fetchLimit == 3 && request.fetchOffset == 2)
        #expect(request.fetchBatchSize == 20)
        #expect(!request.includesSubentities && !request.includesPendingChanges)
        #expect(request.returnsObjectsAsFaults && request.returnsDistinctResults)
    }

    @Test(arguments: chosenEngines)
    func `keeps its variables if they are not filled in`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let model = try Self.model(["books": "title == $T"])
            var request = try model.fetchRequestTemplate(forName: "books")
            let error = #expect(throws: GraphError.self) { try context.count(for: request) }
            request.predicate = request.predicate?.substituting(variables: ["T": "a"])

            #expect(try context.count(for: request) == 1)
            guard case .predicate(.unsetVariable("T"))? = error else {
                Issue.record("\(error as Any)")
                return
            }
        }
    }

    private static func refusal(
        _ format: String, _ values: [String: Any]
    ) throws -> FetchPredicateError? {
        let model = try model(["books": format])
        do {
            _ = try model.fetchRequestFromTemplate(
                withName: "books", substitutionVariables: values)
            return nil
        } catch {
            guard case GraphError.fetchRequestTemplate("books", let reason) = error else {
                throw error
            }
            return reason
        }
    }

    @Test func `without a value for a variable is refused with its name`() throws {
        #expect(try Self.refusal("title == $T AND pages > $P", ["T": "a"]) == .unsetVariable("P"))
        #expect(
            try Self.refusal("SUBQUERY(tags, $t, $t.name == $T).@count > 0", [:])
                == .unsetVariable("T"))
        #expect(
            try Self.refusal("SUBQUERY(tags, $t, $t.name == $T).@count > 0", ["T": "x"]) == nil)
    }

    @Test func `with a value of a wrong type is refused`() throws {
        struct Odd {}
        #expect(
            try Self.refusal("title == $T", ["T": Odd()])
                == .unsupportedVariableValue("T", found: "Odd"))
        #expect(
            try Self.refusal("title IN $T", ["T": ["a", Odd()] as [Any]])
                == .unsupportedVariableValue("T", found: "Odd"))
        for (format, value) in [
            ("title == $T", 5 as Any), ("pages > $T", "x"), ("title == $T", ["a", "b"]),
            ("author == $T", "Ann"), ("pages IN $T", 5), ("title IN $T", [1, 2]),
        ] {
            guard case .typeMismatch? = try Self.refusal(format, ["T": value]) else {
                Issue.record("\(format) with \(value) is not refused")
                continue
            }
        }
    }

    @Test func `of an unknown name is refused with the nearest one`() throws {
        let model = try Self.model(["recentBooks": "title == $T"])
        for attempt in 0..<2 {
            let error = #expect(throws: GraphError.self) {
                if attempt == 0 { _ = try model.fetchRequestTemplate(forName: "recentBook") }
                _ = try model.fetchRequestFromTemplate(
                    withName: "recentBook", substitutionVariables: [:])
            }
            #expect(error?.description.contains("“recentBooks”") == true)
            guard case .unknownFetchRequestTemplate("recentBook", "recentBooks")? = error else {
                Issue.record("\(error as Any)")
                continue
            }
        }
    }

    @Test func `that cannot be read or does not fit is refused with the reason`() throws {
        var description = ModelDescription(Library.entities)
        description.fetchRequestTemplates["odd"] = FetchRequestTemplate(
            entity: "Book", condition: .unreadable(text: "title ==", reason: "it ends too soon"))
        let model = try ManagedObjectModel(description)
        let error = #expect(throws: GraphError.self) {
            try model.fetchRequestTemplate(forName: "odd")
        }

        #expect(error?.description.contains("it ends too soon") == true)
        #expect(error?.description.contains("“odd”") == true)
        guard case .unknownKey("titel", "Book", "title")? = try Self.refusal("titel == 'a'", [:])
        else {
            Issue.record("an unknown key is not refused")
            return
        }
    }
}
