import CairnTestSupport
import Foundation
import SwiftData
import Testing

@testable import ModelFolders

/// Models of Tests/ModelFolders with what the other folders do not have: a namespace, names that are keywords or those of
/// accessors, many types of values, their own equality, and all access levels.
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

    @Test(arguments: StoreKind.allCases)
    func `with their own equality keeps its values`(_ store: StoreKind) throws {
        try roundTrip(store, [Patient.self, Child.self, Ward.self]) { context in
            let (patient, child) = (Patient(name: "Ada"), Child(name: "Bob", age: 3))
            patient.visits = [Visit(number: 1), Visit(number: 2)]
            child.visits = [Visit(number: 3)]
            context.insert(patient)
            context.insert(child)
            context.insert(Ward(floor: 2))
        } then: { context in
            func areEqual<Value: Equatable>(_ left: Value, _ right: Value) -> Bool { left == right }
            let patients = try context.all(Patient.self, by: SortDescriptor(\.name))
            #expect(patients.map(\.visits.count) == [2, 1] && (patients[1] as? Child)?.age == 3)
            #expect(
                patients[0] == Patient(name: "Ada") && areEqual(patients[0], Patient(name: "Ada")))
            #expect(patients.contains(Child(name: "Bob", age: 0)) && patients[0] != patients[1])
            #expect(Set(patients + [Patient(name: "Ada")]).count == 2)
            let visit = try #require(patients[1].visits.first)
            #expect(areEqual(visit, Visit(number: 3)) && !areEqual(visit, Visit(number: 4)))
            let ward = try #require(try context.all(Ward.self).first)
            #expect(areEqual(ward, Ward(floor: 2)) && ward < Ward(floor: 3))
            ward.visitors += 1
            #expect(ward.visitors == 1 && !context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with names of keywords and of generated members keeps its values`(_ store: StoreKind)
        throws
    {
        try roundTrip(store, [Keywords.self, Shadows.self]) { context in
            let keywords = Keywords()
            context.insert(keywords)
            keywords.change()
            context.insert(Shadows())
        } then: { context in
            let found = try #require(
                try context.all(where: #Predicate<Keywords> { $0.`func` == 3 && $0.get == 9 }).first
            )
            #expect(found.`Self` == 1 && found.class == "x" && found.`return` == [6])
            #expect(found.extension == 30 && found.newValue == 31 && found.oldValue == 32)
            #expect(found._mark == 17 + 21 + 32 && found._value == 16 && found._setValue == 18)
            #expect(found.where === found && found.protocol?.keywords == [found])
            #expect(found.schemaMetadata == "a" && found.backingData == "b" && found.hasChanges)
            #expect(found.modelContext == "c" && found.persistentModelID == "d")
            #expect(found.chosen == 23 && found.closed == 25 && found.let == 26)
            let shadows = try #require(try context.all(Shadows.self).first)
            #expect(shadows.answer == .yes && shadows.text.text == "s" && shadows.model == nil)
            #expect(shadows.schema.number == 1 && shadows.number == 4)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with generic values, measurements and choices keeps them`(_ store: StoreKind) throws {
        let moved = Values.State.moved(to: URL(filePath: "/a"), at: Self.day)
        try roundTrip(store, [Values.self]) { context in
            let values = Values()
            context.insert(values)
            values.data = Data([1, 2])
            values.tokens = ["a": Token("b")]
            values.counts = ["a": ["b": 1]]
            values.names = [3: "c"]
            values.states = [.open: 1, moved: 2]
            values.set = [values.id]
            values.pair = Pair(
                first: Pair(first: 1, second: ["x": true]), second: ["y": Token("z")])
            values.pairs = [Pair(first: "p", second: ["q": 4])]
            values.choice = .one(5)
            values.maybe = .one(["m"])
            values.price = Decimal(string: "12345.6789") ?? 0
            values.weight = Measurement(value: 2, unit: .kilograms)
            values.state = .closed(reason: "r")
            values.history = [.open, moved]
            values.period = Self.day...Self.day.addingTimeInterval(60)
            values.frame = CGRect(x: 1, y: 2, width: 3, height: 4)
            values.implicit = "i"
            values.indices = [1, 2, 5]
        } then: { context in
            let values = try #require(try context.all(Values.self).first)
            #expect(values.data == Data([1, 2]) && values.tokens == ["a": Token("b")])
            #expect(values.counts == ["a": ["b": 1]] && values.names == [3: "c"])
            #expect(values.states == [.open: 1, moved: 2] && values.set == [values.id])
            #expect(values.pair?.first.second == ["x": true])
            #expect(values.pair?.second == ["y": Token("z")] && values.pairs?[0].second == ["q": 4])
            #expect(values.choice == .one(5) && values.maybe == .one(["m"]))
            #expect(values.price == Decimal(string: "12345.6789"))
            #expect(values.discount == Decimal(string: "1.25") && values.length.value == 1)
            #expect(values.weight?.converted(to: .grams).value == 2_000 && values.other == nil)
            #expect(values.state == .closed(reason: "r") && values.history == [.open, moved])
            #expect(values.range == 0..<3 && values.period?.lowerBound == Self.day)
            #expect(values.frame?.width == 3 && values.duration == .seconds(1))
            #expect(values.wide == .max && values.implicit == "i" && values.list == [nil, 1])
            #expect(values.indices == [1, 2, 5] && values.link.path() == "/")
            values.state = nil
            values.maybe = Optional.none
            try context.save()
            let again = try #require(try ModelContext(context.container).all(Values.self).first)
            #expect(again.state == nil && again.maybe == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with every access level keeps its values`(_ store: StoreKind) throws {
        let types: [any PersistentModel.Type] = [
            Doctor.self, Staff.self, Hospital.Bed.self, Hospital.Lamp.self,
        ]
        try roundTrip(store, types + Hospital.hidden) { context in
            let doctor = Doctor(name: "Ada")
            doctor.level = 3
            doctor[0] = 5
            context.insert(doctor)
            let staff = Staff()
            staff.chief = Staff()
            context.insert(staff)
            let lamp = Hospital.Lamp()
            lamp.bed = Hospital.insertHidden(in: context)
            context.insert(lamp)
        } then: { context in
            let doctor = try #require(try context.all(Doctor.self).first)
            #expect(doctor.state() == [1, 3, 5] && doctor[1] == 6 && doctor.initials == "A")
            #expect(doctor.summary == "Ada 3" && Array(doctor) == [3] && doctor.badge == "a")
            #expect(doctor.isLess(\.level, 4) && doctor.calls == 3 && doctor.second == 1)
            #expect(try context.all(Staff.self).compactMap(\.chief).map(\.role) == ["staff"])
            #expect(try context.all(Hospital.Lamp.self).first?.bed?.number == 1)
            #expect(try Hospital.hiddenTexts(in: context) == ["hidden", "more"])
        }
    }

    @Test func `on the main actor compiles without a warning`() throws {
        let source = Repository.file("Fixtures/Isolation/MainActorModels.swift")

        let messages = try SwiftCompiler.check([source], macros: true, isolation: "MainActor")

        #expect(messages.isEmpty)
    }

    @Test func `that cannot be models gets one message for each class`() throws {
        let folder = try TemporaryFolder()
        let source = folder.file("Mistakes.swift")
        let text = """
            import SwiftData
            @Model struct Structure { var number = 1 }
            @Model final class NoInitializer { var number = 1 }
            @Model final class Described {
                var description: String?
                init() {}
            }
            """
        try text.write(to: source, atomically: true, encoding: .utf8)

        let messages = try SwiftCompiler.check([source], macros: true)

        let errors = messages.split(separator: "\n").filter { $0.contains("swift:") }
        #expect(errors.count { $0.contains("error:") } == 3, "\(errors)")
        for part in [
            "2:1: error: @Model can only be attached to a class",
            "3:1: error: “NoInitializer” needs an initializer",
            "5:5: error: “description” cannot be the name",
        ] {
            #expect(errors.contains { $0.contains(part) }, "\(errors)")
        }
    }
}
