import Foundation
import SwiftData
import Testing

@Suite struct `Relationships` {
    @Test func `can be set between new models`() {
        let (trip, stop) = (Trip(name: "a"), Stop(title: "x"))
        trip.stops = [stop]
        stop.trip = trip

        #expect(trip.stops == [stop] && stop.trip === trip)
    }

    @Test(arguments: StoreKind.allCases)
    func `insert the whole graph with one model`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            trip.stops = [Stop(title: "x"), Stop(title: "y")]
            trip.guides = [Pilot(name: "Ann", hours: 1)]
            context.insert(trip)
            try context.save()

            #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 2)
            #expect(try context.fetchCount(FetchDescriptor<Pilot>()) == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `insert the graph from the other end`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            let stop = Stop(title: "x", trip: trip)
            context.insert(stop)

            #expect(trip.modelContext === context)
            #expect(trip.stops == [stop])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `set at both ends of new models are united`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            let (first, second) = (Stop(title: "x"), Stop(title: "y", trip: trip))
            trip.stops = [first]
            context.insert(trip)
            context.insert(second)

            #expect(Set(trip.stops) == [first, second])
            #expect(first.trip === trip)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `change their inverse`(_ store: StoreKind) throws {
        try store.withContext { context in
            let (trip, other) = (Trip(name: "a"), Trip(name: "b"))
            let stop = Stop(title: "x")
            for trip in [trip, other] { context.insert(trip) }

            trip.stops.append(stop)
            #expect(stop.trip === trip && stop.modelContext === context)

            stop.trip = other
            #expect(trip.stops.isEmpty && other.stops == [stop])

            other.stops.removeAll()
            #expect(stop.trip == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `take a new model into the context of their owner`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            context.insert(trip)
            let stop = Stop(title: "x")

            stop.trip = trip

            #expect(stop.modelContext === context && trip.stops == [stop])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `between many and many are saved`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let context = ModelContext(container)
            let (first, second) = (Trip(name: "a"), Trip(name: "b"))
            let guide = Guide(name: "Ann")
            first.guides = [guide]
            second.guides = [guide, Guide(name: "Ben")]
            context.insert(first)
            context.insert(second)
            try context.save()

            let other = ModelContext(container)
            let trips = try other.all(Trip.self, by: SortDescriptor(\.name))
            let ann = try #require(
                try other.all(where: #Predicate<Guide> { $0.name == "Ann" }).first)
            #expect(trips.map { Set($0.guides.map(\.name)) } == [["Ann"], ["Ann", "Ben"]])
            #expect(Set(ann.trips ?? []) == Set(trips))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with the rule cascade delete their destinations`(_ store: StoreKind) throws {
        try store.withContext { context in
            let trip = Trip(name: "a")
            trip.stops = [Stop(title: "x"), Stop(title: "y")]
            context.insert(trip)
            try context.save()

            context.delete(trip)
            try context.save()

            #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with the rule nullify lose the deleted model`(_ store: StoreKind) throws {
        try store.withContext { context in
            let (trip, guide) = (Trip(name: "a"), Guide(name: "Ann"))
            let stop = Stop(title: "x")
            trip.stops = [stop]
            trip.guides = [guide]
            context.insert(trip)
            try context.save()

            context.delete(stop)
            context.delete(guide)
            try context.save()

            #expect(trip.stops.isEmpty && trip.guides.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with the rule deny keep their owner from being deleted`(_ store: StoreKind) throws {
        try store.withContext(for: Shelf.self) { context in
            let shelf = Shelf(name: "s")
            shelf.books = [ShelfBook(title: "b")]
            context.insert(shelf)
            try context.save()

            context.delete(shelf)

            #expect(throws: (any Error).self) { try context.save() }
            context.rollback()
            #expect(try context.fetchCount(FetchDescriptor<Shelf>()) == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `that must have a destination are checked by a save`(_ store: StoreKind) throws {
        try store.withContext(for: Shelf.self) { context in
            let shelf = Shelf(name: "s")
            let book = ShelfBook(title: "b")
            shelf.books = [book]
            let page = Page(number: 1, book: book)
            context.insert(page)
            try context.save()
            #expect(page.book === book)

            context.delete(book)

            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `have at most as many members as they may have`(_ store: StoreKind) throws {
        try store.withContext(for: Shelf.self) { context in
            let shelf = Shelf(name: "s")
            shelf.books = (1...4).map { ShelfBook(title: "\($0)") }
            context.insert(shelf)

            #expect(throws: (any Error).self) { try context.save() }
            shelf.books.removeLast()
            #expect(throws: Never.self) { try context.save() }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `of a class to itself form a tree`(_ store: StoreKind) throws {
        try store.withContainer(for: Folder.self) { container in
            let context = ModelContext(container)
            let root = Folder(name: "root")
            root.children = [Folder(name: "a"), Folder(name: "b")]
            root.children[0].children = [Folder(name: "aa")]
            context.insert(root)
            try context.save()

            let found = try ModelContext(container)
                .all(where: #Predicate<Folder> { $0.parent == nil })
            #expect(found.map(\.name) == ["root"])
            #expect(Set(found.first?.children.map(\.name) ?? []) == ["a", "b"])
            let leaves = try context.all(where: #Predicate<Folder> { $0.parent?.parent != nil })
            #expect(leaves.map(\.name) == ["aa"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `without an inverse hold their destination`(_ store: StoreKind) throws {
        try store.withContainer(for: Note.self) { container in
            let context = ModelContext(container)
            let note = Note()
            note.author = Person(name: "Ann")
            note.reviewer = Person(name: "Ben")
            context.insert(note)
            try context.save()

            let found = try #require(try ModelContext(container).all(Note.self).first)
            #expect(found.author?.name == "Ann" && found.reviewer?.name == "Ben")
        }
    }
}

@Model final class Shelf {
    var name: String
    @Relationship(deleteRule: .deny, maximumModelCount: 3, inverse: \ShelfBook.shelf)
    var books: [ShelfBook] = []

    init(name: String) { self.name = name }
}

@Model final class ShelfBook {
    var title: String
    var shelf: Shelf?
    var pages: [Page] = []

    init(title: String) { self.title = title }
}

@Model final class Page {
    var number: Int
    @Relationship(inverse: \ShelfBook.pages) var book: ShelfBook

    init(number: Int, book: ShelfBook) {
        self.number = number
        self.book = book
    }
}

@Model final class Folder {
    var name: String
    var parent: Folder?
    @Relationship(deleteRule: .cascade, inverse: \Folder.parent) var children: [Folder] = []

    init(name: String) { self.name = name }
}

@Model final class Note {
    var author: Person?
    var reviewer: Person?

    init() {}
}

@Model final class Person {
    var name: String

    init(name: String) { self.name = name }
}
