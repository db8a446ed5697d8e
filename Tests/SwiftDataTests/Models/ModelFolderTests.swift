import CairnTestSupport
import Foundation
import SwiftData
import Testing

@testable import ModelFolders

/// The folders of Tests/ModelFolders are written as for apps. Their graphs go through all engines.
@Suite struct `A folder of models` {
    static let engines = ["SQLite", "LMDB", "XML", "Binary", "InMemory"]
    private static let day = Date(timeIntervalSinceReferenceDate: 1_000)

    /// Saves models, and passes a context that has read nothing yet to a closure.
    private func afterSaving(
        _ engine: String, _ types: [any PersistentModel.Type],
        insert: (ModelContext) -> Void, then body: (ModelContext) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let configuration =
            engine == "InMemory"
            ? ModelConfiguration(isStoredInMemoryOnly: true)
            : ModelConfiguration(url: folder.file("default.store"), storeType: engine)
        var container = try ModelContainer(for: Schema(types), configurations: configuration)
        let context = ModelContext(container)
        context.failureHandler = { Issue.record($0) }
        insert(context)
        try context.save()
        if engine != "InMemory" {
            container = try ModelContainer(for: Schema(types), configurations: configuration)
        }
        let other = ModelContext(container)
        other.failureHandler = { Issue.record($0) }
        try withExtendedLifetime(folder) { try body(other) }
    }

    @Test(arguments: engines)
    func `with structures and enums in classes goes through an engine`(_ engine: String) throws {
        let recipe = Recipe(title: "Apple Pie", createdAt: Self.day)
        recipe.difficulty = .hard
        recipe.source = .book(title: "Cakes", page: 7)
        recipe.nutrition = Recipe.Nutrition(
            kcal: 300, portion: .init(grams: 120, label: "slice"), allergens: [.gluten])
        recipe.courses = [.dessert]
        recipe.rating = 4.5
        recipe.photo = Data(repeating: 1, count: 200_000)
        recipe.sortedIngredients = [
            Ingredient("Apple", Amount(value: 4, unit: .piece)),
            Ingredient("Salt", Amount(value: 0.5)),
        ]
        recipe.cookbook = Cookbook(name: "Sweet")

        try afterSaving(engine, [Recipe.self]) { context in
            context.insert(recipe)
        } then: { context in
            let found = try #require(try context.all(Recipe.self).first)
            #expect(found.id == recipe.id && found.slug == "apple-pie")
            #expect(found.createdAt == Self.day && found.rating == 4.5)
            #expect(found.difficulty == .hard && found.source == .book(title: "Cakes", page: 7))
            #expect(found.nutrition == recipe.nutrition && found.courses == [.dessert])
            #expect(found.allergens == [.milk] && found.photo?.count == 200_000)
            #expect(found.sortedIngredients.map(\.name) == ["Apple", "Salt"])
            #expect(found.sortedIngredients.map(\.amount.unit) == [.piece, nil])
            #expect(found.cookbook?.recipes == [found])
            #expect(found.cookbook?.settings == Cookbook.Settings())
            #expect(!found.isQuick && found.edits == 0)
            found.title = "Pie"
            found.cookbook?.settings.columns = 2
            found.nutrition?.protein = 5
            #expect(found.edits == 1)
            try context.save()
            let again = try #require(
                try ModelContext(context.container).all(Recipe.self).first)
            #expect(again.title == "Pie" && again.cookbook?.settings.columns == 2)
            #expect(again.nutrition?.protein == 5 && again.nutrition?.kcal == 300)
        }
    }

    @Test(arguments: engines)
    func `with all access levels goes through an engine`(_ engine: String) throws {
        let account = Account(number: 1, owner: "Ada")
        let (approver, target) = (UUID(), UUID())
        account.limits = Account.Limits(daily: 100, since: Self.day, approver: approver)
        account.book(10.25, on: Self.day, .transfer(to: target))
        account.book(-3, on: Self.day.addingTimeInterval(1), .fee(nil))
        account.book(1, on: Self.day.addingTimeInterval(2), .fee(0.5))
        account.book(1, on: Self.day.addingTimeInterval(3))
        account.isSelected = true

        try afterSaving(engine, [Account.self]) { context in
            context.insert(account)
        } then: { context in
            let found = try #require(try context.all(Account.self).first)
            #expect(found.id == account.id && found.heading == "ADA 1" && found.balance == 9.25)
            #expect(found.limits == account.limits && found.limits?.approver == approver)
            #expect(found.currency == .euro && !found.isSelected)
            // Constants are conditions and orders as variables are.
            let id = account.id
            #expect(try context.all(where: #Predicate<Account> { $0.id == id }) == [found])
            #expect(try context.all(Account.self, by: SortDescriptor(\.id)) == [found])
            #expect(
                found.entries.sorted().map(\.kind)
                    == [.transfer(to: target), .fee(nil), .fee(0.5), .other])
            let copy = try JSONDecoder().decode(
                Entry.self, from: JSONEncoder().encode(found.entries.sorted()[0]))
            #expect(copy.amount == 10.25 && copy.day == Self.day && copy.modelContext == nil)
            context.delete(found)
            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    @Test(arguments: engines)
    func `with cycles of relationships goes through an engine`(_ engine: String) throws {
        let (ada, bob) = (Member(name: "Ada"), Member(name: "Bob"))
        ada.contact = .mail("ada@example.com")
        let (first, second) = (Job(title: "first"), Job(title: "second"))
        first.checklist = [Job.Check(text: "look"), Job.Check(text: "leap", isDone: true)]
        first.estimate = .seconds(90)
        second.blockers = [first]
        second.labels = [Job.Label(name: "red")]
        let home = Project("Home", jobs: [first, second])
        let garden = Project("Garden", parent: home)
        home.lead = ada
        garden.lead = ada
        home.members = [ada, bob]

        try afterSaving(engine, [Project.self]) { context in
            context.insert(garden)
        } then: { context in
            let projects = try context.all(Project.self, by: SortDescriptor(\.name))
            try #require(projects.map(\.name) == ["Garden", "Home"])
            let (garden, home) = (projects[0], projects[1])
            #expect(garden.parent === home && home.children == [garden] && garden.jobs.isEmpty)
            #expect(home.lead?.leads.count == 2 && home.lead?.projects == [home])
            #expect(Set(home.members.map(\.name)) == ["Ada", "Bob"])
            #expect(home.lead?.contact == .mail("ada@example.com"))
            #expect(home.dates == DateInterval(start: .distantPast, duration: 60))
            let job = try #require(home.jobs.first { $0.title == "first" })
            #expect(job.checklist == first.checklist && job.estimate == .seconds(90))
            #expect(job.blocked?.map(\.title) == ["second"] && job.blockers.isEmpty)
            #expect(job.blocked?.first?.labels.map(\.color) == [Job.Label.Color(red: 1)])
            #expect("\(home)" == "Project Home" && job.state == .open)
            context.delete(home)
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<Job>()) == 0)
            #expect(try context.fetchCount(FetchDescriptor<Member>()) == 2)
        }
    }

    @Test(arguments: engines)
    func `with inheritance goes through an engine`(_ engine: String) throws {
        let race = RaceWorkout(start: Self.day, bib: 60_000)
        race.result = .abandoned(reason: "rain", at: 30)
        race.route = .init(points: [.init(x: 1, y: 2)], name: "Lake")
        race.pace = Measure(value: 5.5, unit: "min/km")
        race.rest = 90
        race.gear = [Gear(name: "Red", kind: .shoe)]
        let swim = Workout(start: Self.day.addingTimeInterval(1), kind: .swim)
        swim.samples = [1, 2.5]
        swim.notes = ["pool": "cold"]

        try afterSaving(engine, [Workout.self, RunWorkout.self, RaceWorkout.self]) { context in
            context.insert(race)
            context.insert(swim)
        } then: { context in
            let workouts = try context.all(Workout.self, by: SortDescriptor(\.start))
            let found = try #require(workouts.first as? RaceWorkout)
            #expect(found.bib == 60_000 && found.distance == 42.195 && found.kind == .run)
            #expect(found.result == .abandoned(reason: "rain", at: 30))
            #expect(found.route == race.route && found.pace == race.pace)
            #expect(found.rest == 60 && race.lastRest == 90 && found.lastRest == nil)
            #expect(workouts.last?.samples == [1, 2.5] && workouts.last?.notes == ["pool": "cold"])
            #expect(found.gear.map(\.kind) == [.shoe] && found.gear.first?.workouts == [found])
            #expect(try context.fetchCount(FetchDescriptor<RunWorkout>()) == 1)
            // The combination of an enum and a text is unique.
            let (same, other) = (Gear(name: "Red", kind: .shoe), Gear(name: "Red", kind: .watch))
            same.size = 42.5
            context.insert(same)
            context.insert(other)
            try context.save()
            #expect(
                try context.all(Gear.self, by: SortDescriptor(\.size)).map(\.size) == [0, 42.5])
        }
    }

    @Test(arguments: engines)
    func `with versions goes through an engine`(_ engine: String) throws {
        let url = try #require(URL(string: "https://example.com/feed"))
        let feed = Feed(url: url, name: "News")
        feed.layout = .cards
        feed.cache.etag = "a"
        feed.articles = [Article(headline: "One"), Article(headline: "Two")]

        try afterSaving(engine, ReaderSchemaV2.models) { context in
            context.insert(feed)
        } then: { context in
            let found = try #require(try context.all(Feed.self).first)
            #expect(found.url == url && found.layout == .cards && found.cache.etag == "a")
            #expect(Set(found.articles.map(\.headline)) == ["One", "Two"])
        }
    }

    @Test(arguments: engines.dropLast())
    func `with versions is migrated by its plan`(_ engine: String) throws {
        let folder = try TemporaryFolder()
        let configuration = ModelConfiguration(
            url: folder.file("default.store"), storeType: engine)
        let url = try #require(URL(string: "https://example.com/feed"))
        do {
            let context = ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: ReaderSchemaV1.self),
                    configurations: configuration))
            let feed = ReaderSchemaV1.Feed(url: url, title: "News")
            feed.articles = [.init(headline: "One"), .init(headline: "Two")]
            feed.articles.first { $0.headline == "One" }?.isRead = true
            context.insert(feed)
            try context.save()
        }

        let context = ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: ReaderSchemaV2.self), migrationPlan: ReaderPlan.self,
                configurations: configuration))

        let feed = try #require(try context.all(Feed.self).first)
        #expect(feed.name == "News" && feed.layout == .list && feed.cache == .init())
        #expect(
            try context.all(Article.self, by: SortDescriptor(\.headline)).map(\.status)
                == [.seen, .new])
    }
}
