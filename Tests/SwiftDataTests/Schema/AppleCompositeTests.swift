import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import SwiftData
import Testing

/// The classes of the models that ``SwiftDataStore`` contains.
enum AppleRecipes {
    @Model final class Recipe {
        var id: String?
        var title: String?
        var author: Author?
        var prep: Prep?
        var kind: Kind?
        var level: Level?
        var outcome: Outcome?
        @Relationship(inverse: \Step.recipe) var steps: [Step] = []

        init(title: String) { self.title = title }
    }

    @Model final class Step {
        var text: String?
        var recipe: Recipe?

        init(text: String) { self.text = text }
    }

    struct Author: Codable, Hashable {
        var id: String?
        var person: String?
        var tags: [String]?
    }

    struct Prep: Codable, Hashable {
        var id: String?
        var minutes: Double?
    }

    enum Kind: String, Codable { case starter, dessert }

    enum Level: Int, Codable { case easy = 1, medium, hard }

    enum Outcome: Codable, Hashable {
        case done(String)
        case failed(Int)
    }
}

/// A store in the form in which Apple's SwiftData stores structures and enums.
@Suite struct `A store with structures and enums of Apple's SwiftData` {
    /// Calls a closure with a new store, and the names of its tables and columns before and after.
    private func withStore(
        allowsSave: Bool = true, body: (ModelContext) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let store = try SwiftDataStore(at: folder.file("default.store"))
        let columns = try columns(store.url)
        // The store keeps no history, and a history would add tables.
        let configuration = ModelConfiguration(
            url: store.url, allowsSave: allowsSave, options: ["tracksHistory": false])
        try withExtendedLifetime(folder) {
            let context = ModelContext(
                try ModelContainer(for: AppleRecipes.Recipe.self, configurations: configuration))
            context.failureHandler = { Issue.record($0) }
            try body(context)
        }
        #expect(try self.columns(store.url) == columns)
    }

    private func columns(_ url: URL) throws -> [String] {
        try PlainSQL(url).rows(
            "SELECT m.name || '.' || p.name FROM sqlite_master m, pragma_table_info(m.name) p ORDER BY 1"
        ).compactMap { $0.first?.text }
    }

    private func recipes(_ context: ModelContext) throws -> [AppleRecipes.Recipe] {
        try context.all(AppleRecipes.Recipe.self, by: SortDescriptor(\.title))
    }

    @Test func `opens without a migration, although its hash is not known`() throws {
        // A store that cannot be changed is not migrated.
        try withStore(allowsSave: false) { context in
            let recipes = try recipes(context)

            #expect(recipes.map(\.title) == ["Cake", "Secret", "Soup"])
            let soup = recipes[2]
            #expect(soup.author == .init(id: "author 1", person: "Ada", tags: ["warm"]))
            #expect(soup.prep == .init(id: "prep 1", minutes: 12.5) && soup.id == "recipe 1")
            #expect(soup.kind == .starter && soup.level == .medium)
            #expect(soup.outcome == .done("eaten") && soup.steps.map(\.text) == ["Boil it."])
            let (cake, secret) = (recipes[0], recipes[1])
            #expect(cake.outcome == .failed(7) && cake.author == nil && cake.level == .hard)
            #expect(secret.kind == nil && secret.outcome == nil && secret.prep == nil)
        }
    }

    @Test func `is written`() throws {
        try withStore { (context) throws in
            let soup = try recipes(context)[2]
            soup.author?.tags = ["cold", "green"]
            soup.kind = .dessert
            soup.outcome = .failed(3)
            context.insert(AppleRecipes.Recipe(title: "Tea"))
            try context.save()

            let rows = try PlainSQL(try #require(context.container.configurations.first).url).rows(
                """
                SELECT ZTITLE, ZKIND, ZDONE, ZFAILED, ZPERSON, CAST(ZTAGS AS TEXT), ZLEVEL
                FROM ZRECIPE WHERE ZTITLE IN ('Soup', 'Tea') ORDER BY 1
                """)

            #expect(
                rows[0].map(\.text) == [
                    "Soup", "dessert", nil, nil, "Ada", #"["cold","green"]"#, nil,
                ])
            #expect(rows[1].map(\.text) == ["Tea", nil, nil, nil, nil, nil, nil])
        }
    }

    @Test func `is searched by its structures and enums`() throws {
        try withStore { (context) throws in
            func titles(_ predicate: Predicate<AppleRecipes.Recipe>) throws -> [String?] {
                try context.all(where: predicate).map(\.title)
            }
            let kind = AppleRecipes.Kind.dessert
            #expect(try titles(#Predicate { $0.kind == kind }) == ["Cake"])
            #expect(try titles(#Predicate { $0.kind?.rawValue == "starter" }) == ["Soup"])
            #expect(try titles(#Predicate { $0.author?.person == "Ada" }) == ["Soup"])
            #expect(try titles(#Predicate { $0.author == nil }).count == 2)
        }
    }
}
