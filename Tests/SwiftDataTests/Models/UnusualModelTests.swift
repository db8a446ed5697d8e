import CairnTestSupport
import Foundation
import SwiftData
import Testing

@testable import ModelFolders

/// Models of Tests/ModelFolders with what the other folders do not have: a namespace, names that are keywords or those of
/// accessors, and many types of values.
@Suite struct `A folder of unusual models` {
    private static let day = Date(timeIntervalSinceReferenceDate: 1_000)

    private func roundTrip(
        _ store: StoreKind, _ types: [any PersistentModel.Type],
        insert: (ModelContext) throws -> Void, then body: (ModelContext) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let configuration = store.configuration(in: folder)
        var container = try ModelContainer(for: Schema(types), configurations: configuration)
        let context = ModelContext(container)
        context.failureHandler = { Issue.record($0) }
        try insert(context)
        try context.save()
        if store != .inMemory {
            container = try ModelContainer(for: Schema(types), configurations: configuration)
        }
        let other = ModelContext(container)
        other.failureHandler = { Issue.record($0) }
        try withExtendedLifetime(folder) { try body(other) }
    }

    @Test(arguments: StoreKind.allCases)
    func `in a namespace, with names that are keywords, keeps its values`(_ store: StoreKind) throws
    {
        let feed = try #require(URL(string: "https://example.com/a"))
        try roundTrip(store, [Library.Show.self]) { context in
            let show = Library.Show(feed: feed, title: "My Show")
            let owner = Library.Person(name: "Ada")
            show.owner = owner
            show.fans = [Library.Person(name: "Bob")]
            show.default = true
            show.in = "x"
            show.artwork = Data(repeating: 3, count: 100_000)
            show.ratings = ["a": 1]
            show.dates = [Self.day]
            let one = try Library.Episode("One", number: 1, chapters: [Chapter("c", at: 3)])
            let two = try Library.Episode("Two", number: 2)
            one.next = two
            one.mark = .init(at: 3, note: nil)
            one.guests = [owner]
            two.state = .failed(.loading(progress: 0.5), reason: "x")
            show.episodes = [one, two]
            #expect(throws: Library.Episode.Failure.self) { try Library.Episode("x", number: -1) }
            #expect(Library.Show(text: "no", title: "x") == nil)
            context.insert(show)
            context.insert(try #require(Library.Show(text: "https://example.com/b", title: "")))
        } then: { context in
            let shows = try context.all(
                Library.Show.self, by: SortDescriptor(\.title))
            try #require(shows.map(\.title) == ["My Show", "Untitled"])
            let show = shows[0]
            #expect(show.slug == "my-show" && show.default && show.in == "x" && show.repeat == 0)
            #expect(show.owner.name == "Ada" && show.fans?.map(\.name) == ["Bob"])
            #expect(show.artwork?.count == 100_000 && show.ratings == ["a": 1])
            #expect(show.dates == [Self.day] && show.tags == ["new", "unheard"])
            #expect(show.categories == [.news, .other] && show.category == .other)
            #expect(show.latest?.title == "Two" && show[1]?.next === show[2])
            #expect(show[1]?.chapters.map(\.title) == ["c"] && show[1]?.mark?.at == 3)
            #expect(show[2]?.state == .failed(.loading(progress: 0.5), reason: "x"))
            #expect(show[2]?.previous === show[1] && show[1]?.guests == [show.owner])
            #expect("\(show)" == "My Show (2)" && shows[0] < shows[1] && show[1]?.minutes == 30)
            #expect(show.sorted.count == 2 && show.owner.all(\.title) == ["My Show"])
            #expect(
                try context.all(where: #Predicate<Library.Show> { $0.default && $0.in == "x" })
                    .count
                    == 1)
            show.isEmpty = true
            show.title = "Other"
            #expect(show.slug == "other")
            try context.save()
            #expect(
                try ModelContext(context.container).fetchCount(FetchDescriptor<Library.Episode>())
                    == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with many types of values keeps them`(_ store: StoreKind) throws {
        var expected: [String] = []
        func texts(_ habit: Habit) -> [String] {
            [
                "\(habit.id)", habit.name, habit.details, "\(habit.goal)", "\(habit.weight as Any)",
                "\(habit.level)", "\(habit.score)", "\(habit.options)", "\(habit.reminder as Any)",
                "\(habit.reminders)", "\(habit.steps)", "\(habit.notebook.pages)",
                "\(habit.notebook.title as Any)", "\(habit.pair)", "\(habit.maybePair as Any)",
                "\(habit.validated as Any)", "\(habit.created.timeIntervalSince1970)",
                "\(habit.interval)", "\(habit.days)", "\(habit.color)", "\(habit.zone as Any)",
                "\(habit.locale)", "\(habit.size)", "\(habit.angle)", "\(habit.price)",
                "\(habit.time)", "\(habit.bits)", "\(habit.large)", "\(habit.small)",
                "\(habit.ratio)", "\(habit.blob.map(\.self))", "\(habit.link)", "\(habit.counts)",
                "\(habit.history as Any)", "\(habit.indices.map(\.self))", "\(habit.matrix)",
                "\(habit.optionals)", "\(habit.components)",
                "\(habit.person?.givenName as Any)", "\(habit.result)", "\(habit.nested as Any)",
                "\(habit.measure.converted(to: .meters).value)",
                "\(habit.vector)", "\(habit.identifier)",
            ]
        }
        try roundTrip(store, [Habit.self]) { context in
            let habit = Habit(name: "Run")
            habit.goal = .either(.daily, .either(.weekly(times: 3), .daily))
            habit.reminder = .init(hour: 7, minuteOfHour: 30)
            habit.reminders = [.init(hour: 8)]
            habit.steps = .init(name: "a", steps: [.init(name: "b", steps: [.init(name: "c")])])
            habit.notebook.pages = ["p"]
            let notebook = Habit.Notebook()
            notebook.pages = ["q"]
            notebook.title = "t"
            habit.notebook = notebook
            habit.maybePair = .init(first: true, second: [1])
            habit.validated = .init("v")
            habit.history = [Self.day: ["x"]]
            habit.person = PersonNameComponents(givenName: "Ada")
            context.insert(habit)
            expected = texts(habit)
        } then: { context in
            let habit = try #require(try context.all(Habit.self).first)
            for (found, expected) in zip(texts(habit), expected) { #expect(found == expected) }
            #expect(habit.weight == .heavy && habit.level == .low && habit.options == .reminder)
            habit.goal = .dates([DateComponents(year: 2026)])
            habit.validated = nil
            habit.nested = .some(nil)
            try context.save()
            let again = try #require(try ModelContext(context.container).all(Habit.self).first)
            #expect(again.goal == .dates([DateComponents(year: 2026)]) && again.validated == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with a base class and private relationships keeps its values`(_ store: StoreKind) throws {
        try roundTrip(store, [Item.self, ModelFolders.Plant.self, Garden.self, Gardener.self]) {
            context in
            let gardener = Gardener(name: "Ada")
            gardener.mentor = Gardener(name: "Bob")
            let garden = Garden(title: "Home", owner: gardener)
            garden.deputies = [gardener]
            let plant = ModelFolders.Plant("Rose", height: 2)
            plant.watered.append(.init(date: Self.day, litres: 1))
            let tool = Item("Spade", in: garden)
            tool.kind = .tool
            tool.neighbours = [plant]
            plant.garden = garden
            plant.newValue = 12
            plant.initialValue = 13
            #expect(plant.growths == 1 && plant.lastCount == 1)
            context.insert(garden)
            context.insert(tool)
        } then: { context in
            let garden = try #require(try context.all(Garden.self).first)
            try #require(garden.items.map(\.name) == ["Rose", "Spade"])
            let plant = try #require(garden.items.first as? ModelFolders.Plant)
            #expect(plant.height == 2 && plant.watered.count == 1 && plant.growths == 1)
            #expect(plant.newValue == 12)
            #expect(plant.initialValue == 13 && plant.oldValue == 6 && plant.`init` == 9)
            #expect(
                plant.summary() == "Rose item 2.0" && plant.neighbourOf.map(\.name) == ["Spade"])
            #expect(plant.backing == "soil" && plant.context == nil && plant.kind == .plant)
            #expect(garden.size == .large && garden.plan == .init(rows: [[1, 2], [3]]))
            #expect(garden.address.country == .init(code: "DE") && garden.address.number == nil)
            #expect(garden.owner.name == "Ada" && garden.owner.mentor?.pupils.count == 1)
            #expect(garden.owner.helps == [garden] && garden.deputies?.map(\.name) == ["Ada"])
            #expect(try context.fetch(Gardener.named("Ada")).count == 1)
            context.delete(garden)
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<Item>()) == 0)
        }
    }
}
