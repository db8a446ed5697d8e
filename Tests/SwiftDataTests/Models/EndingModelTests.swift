import CairnTestSupport
import Foundation
import SwiftData
import Testing

@Model private class Guest {
    var name: String
    var room: Room?
    @Transient var onEnd: ((Guest) -> Void)?

    struct Nameless: Error {}

    init(name: String, in room: Room? = nil) throws {
        self.name = name
        self.room = room
        if name.isEmpty { throw Nameless() }
    }

    deinit { onEnd?(self) }
}

@Model private final class Member: Guest {
    var number: Int
    var points: [Int] = [1]

    init(number: Int, name: String, in room: Room? = nil) throws {
        self.number = number
        if number < 0 { throw Nameless() }
        points = [number]
        try super.init(name: name, in: room)
        if number == 0 { throw Nameless() }
    }
}

@Model private final class Room {
    var floor: Int = 0
    @Relationship(inverse: \Guest.room) var guests: [Guest] = []
    @Relationship(inverse: \Key.rooms) var keys: [Key] = []

    init() {}
}

@Model private final class Key {
    var rooms: [Room] = []

    init() {}
}

/// Changes guests on a context of its own.
@ModelActor private actor Porter {
    func add(_ count: Int) throws {
        for number in 0..<count {
            modelContext.insert(try Member(number: number + 1, name: "\(number)"))
        }
        try modelContext.save()
    }

    /// Fetches all guests several times, and lets most of them go while it changes them.
    func visit() throws -> Int {
        var kept: [Guest] = []
        for round in 0..<4 {
            for guest in try modelContext.all(Guest.self) {
                if guest.name.hasSuffix("\(round)") { kept.append(guest) }
                if guest.name.hasSuffix("\(9 - round)") { guest.name += "\(9 - round)" }
            }
            modelContext.rollback()
        }
        return kept.filter { !$0.name.isEmpty && $0.modelContext === modelContext }.count
    }
}

@Suite struct `A model that ends` {
    private func withContext(
        _ store: StoreKind = .inMemory, body: (ModelContext) throws -> Void
    ) throws {
        try store.withContext(for: Room.self, Member.self) { context in
            context.failureHandler = { Issue.record($0) }
            try body(context)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `may set its own properties`(_ store: StoreKind) throws {
        try withContext(store) { context in
            context.insert(try Guest(name: "a"))
            try context.save()
            var guest = try context.all(Guest.self).first
            guest?.onEnd = { $0.name = "b" }

            guest = nil

            #expect(context.hasChanges)
            #expect(try context.all(Guest.self).map(\.name) == ["b"])
            try context.save()
            #expect(try ModelContext(context.container).all(Guest.self).map(\.name) == ["b"])
        }
    }

    @Test func `with its context has no context any more`() throws {
        let container = try ModelContainer(
            for: Room.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        var found: [Bool] = []
        do {
            let context = ModelContext(container)
            let guest = try Guest(name: "a")
            guest.onEnd = { found.append($0.modelContext == nil) }
            context.insert(guest)
        }

        #expect(found == [true])
    }

    @Test func `is another instance for code that asks for it`() throws {
        try withContext { context in
            context.insert(try Guest(name: "a"))
            try context.save()
            var guest = try context.all(Guest.self).first
            let id = try #require(guest).persistentModelID
            var other: Guest?
            guest?.onEnd = { ended in
                let found = context.model(for: id) as? Guest
                if found !== ended { other = found }
            }

            guest = nil

            #expect(other?.name == "a" && other?.onEnd == nil)
            let known: Guest? = context.registeredModel(for: id)
            #expect(known === other && other != nil)
            other?.name = "b"
            try context.save()
            #expect(other?.name == "b")
        }
    }

    @Test func `may read and change others while it is saved`() throws {
        try withContext { context in
            let room = Room()
            context.insert(room)
            for name in ["a", "b", "c"] {
                let guest = try Guest(name: name, in: room)
                guest.onEnd = { ended in
                    room.floor += ended.name.count + (ended.room === room ? 10 : 0)
                }
                context.insert(guest)
            }

            try context.save()
            try context.save()

            #expect(room.floor == 33)
        }
    }

    @Test(arguments: [("", 1), ("a", -1), ("a", 0)])
    func `because its initializer throws leaves the context as it was`(
        _ name: String, _ number: Int
    ) throws {
        try withContext { context in
            let room = Room()
            context.insert(room)
            try context.save()

            #expect(throws: Guest.Nameless.self) { try Member(number: number, name: name) }

            #expect(!context.hasChanges && room.guests.isEmpty)
        }
    }

    /// The relationship was set before the initializer failed, so that the model joined the context.
    @Test(arguments: [("", 1), ("a", 0)])
    func `because its initializer throws can be discarded`(_ name: String, _ number: Int) throws {
        try withContext { context in
            let room = Room()
            context.insert(room)
            try context.save()
            #expect(throws: Guest.Nameless.self) {
                try Member(number: number, name: name, in: room)
            }

            context.rollback()

            #expect(!context.hasChanges && room.guests.isEmpty)
            #expect(try context.fetchCount(FetchDescriptor<Guest>()) == 0)
        }
    }

    @Test func `because it was discarded holds no other`() throws {
        try withContext { context in
            weak var ended: Room?
            weak var endedKey: Key?
            weak var endedGuest: Guest?
            do {
                let (room, key, guest) = (Room(), Key(), try Guest(name: "a"))
                (ended, endedKey, endedGuest) = (room, key, guest)
                room.guests = [guest]
                room.keys = [key]
                context.insert(room)
                #expect(guest.room === room && key.rooms == [room])
                context.rollback()
                #expect(room.guests == [guest] && guest.room === room && room.keys == [key])
                #expect(key.rooms == [room] && room.modelContext == nil)
            }

            #expect(ended == nil && endedKey == nil && endedGuest == nil)
        }
    }

    @Test func `may set the values of the new model that let it go`() throws {
        let room = Room()
        do {
            let guest = try Guest(name: "a")
            guest.onEnd = { _ in
                room.floor = 7
                room.keys = (0..<20).map { _ in Key() }
            }
            room.guests = [guest]
        }

        room.guests = []

        #expect(room.floor == 7 && room.keys.count == 20 && room.guests.isEmpty)
    }

    @Test func `is known correctly by many threads`() async throws {
        let container = try ModelContainer(
            for: Room.self, Member.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        try await Porter(modelContainer: container).add(2_000)

        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await Porter(modelContainer: container).visit() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(counts == Array(repeating: 800, count: 8))
    }
}
