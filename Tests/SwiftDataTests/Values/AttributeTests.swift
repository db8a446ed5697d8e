import Foundation
import SwiftData
import Testing

@Suite struct `Attributes` {
    /// Sets an attribute to a value, and returns what another context fetches.
    private func roundTrip<Value>(
        _ store: StoreKind, _ path: ReferenceWritableKeyPath<Parcel, Value>, _ value: Value
    ) throws -> Value {
        try store.withContainer { container in
            let context = ModelContext(container)
            let parcel = Parcel(code: "a")
            parcel[keyPath: path] = value
            context.insert(parcel)
            try context.save()
            let fetched = try #require(try ModelContext(container).all(Parcel.self).first)
            return fetched[keyPath: path]
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `have the initial values of the class in a new model`(_ store: StoreKind) throws {
        let parcel = Parcel(code: "a")

        #expect(parcel.code == "a")
        #expect(parcel.flag && parcel.byte == -8 && parcel.short == -16 && parcel.word == -32)
        #expect(parcel.unsignedLong == .max && parcel.priority == .low)
        #expect(parcel.words == ["a"] && parcel.maybeText == nil && parcel.maybeLabel == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `keep their initial values over a save`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let context = ModelContext(container)
            context.insert(Parcel(code: "a"))
            try context.save()

            let parcel = try #require(try ModelContext(container).all(Parcel.self).first)

            #expect(parcel.flag && parcel.byte == -8 && parcel.short == -16 && parcel.word == -32)
            #expect(parcel.long == -64 && parcel.number == 7 && parcel.unsignedByte == 200)
            #expect(parcel.unsignedShort == 60_000 && parcel.unsignedWord == 4_000_000_000)
            #expect(parcel.unsigned == 9 && parcel.unsignedLong == .max)
            #expect(parcel.real == 1.5 && parcel.single == 2.5 && parcel.exact == 3.25)
            #expect(parcel.date.timeIntervalSinceReferenceDate == 100)
            #expect(parcel.link == URL(filePath: "/tmp/a") && parcel.bytes == Data([1, 2, 3]))
            #expect(parcel.label == Label(text: "x") && parcel.priority == .low)
            #expect(parcel.delivery == .pickup && parcel.words == ["a"] && parcel.chosen == [1])
            #expect(
                parcel.maybeText == nil && parcel.maybeNumber == nil && parcel.maybeWords == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `hold text`(_ store: StoreKind) throws {
        #expect(try roundTrip(store, \.code, "héllo 🌍") == "héllo 🌍")
    }

    @Test(arguments: StoreKind.allCases)
    func `hold Booleans`(_ store: StoreKind) throws {
        #expect(try roundTrip(store, \.flag, false) == false)
        #expect(try roundTrip(store, \.maybeFlag, false) == false)
        #expect(try roundTrip(store, \.maybeFlag, nil) == nil)
    }

    @Test(arguments: StoreKind.allCases, [Int8.min, 0, Int8.max])
    func `hold integers of 8 bits`(_ store: StoreKind, _ value: Int8) throws {
        #expect(try roundTrip(store, \.byte, value) == value)
    }

    @Test(arguments: StoreKind.allCases, [Int64.min, 0, Int64.max])
    func `hold integers of 64 bits`(_ store: StoreKind, _ value: Int64) throws {
        #expect(try roundTrip(store, \.long, value) == value)
        #expect(try roundTrip(store, \.number, Int(value)) == Int(value))
    }

    @Test(arguments: StoreKind.allCases, [UInt64.min, UInt64.max])
    func `hold unsigned integers`(_ store: StoreKind, _ value: UInt64) throws {
        #expect(try roundTrip(store, \.unsignedLong, value) == value)
        #expect(try roundTrip(store, \.unsigned, UInt(value)) == UInt(value))
        #expect(try roundTrip(store, \.unsignedWord, UInt32.max) == .max)
        #expect(try roundTrip(store, \.unsignedShort, UInt16.max) == .max)
        #expect(try roundTrip(store, \.unsignedByte, UInt8.max) == .max)
        #expect(try roundTrip(store, \.maybeByte, 255) == 255)
    }

    @Test(arguments: StoreKind.allCases)
    func `hold floating-point numbers`(_ store: StoreKind) throws {
        #expect(try roundTrip(store, \.real, -.infinity) == -.infinity)
        #expect(try roundTrip(store, \.single, 0.1) == 0.1)
        #expect(
            try roundTrip(store, \.exact, Decimal(string: "1234567890.12") ?? 0)
                == Decimal(string: "1234567890.12"))
    }

    @Test(arguments: StoreKind.allCases)
    func `hold dates, UUIDs, URLs and bytes`(_ store: StoreKind) throws {
        let (date, key) = (Date(timeIntervalSince1970: 0.25), UUID())
        #expect(try roundTrip(store, \.date, date) == date)
        #expect(try roundTrip(store, \.maybeDate, date) == date)
        #expect(try roundTrip(store, \.key, key) == key)
        #expect(try roundTrip(store, \.bytes, Data()) == Data())
        let link = try #require(URL(string: "https://example.com/a?b=c"))
        #expect(try roundTrip(store, \.link, link) == link)
    }

    @Test(arguments: StoreKind.allCases)
    func `hold structures`(_ store: StoreKind) throws {
        let label = Label(text: "to", lines: ["a", "b"])
        #expect(try roundTrip(store, \.label, label) == label)
        #expect(try roundTrip(store, \.maybeLabel, label) == label)
        #expect(try roundTrip(store, \.maybeLabel, nil) == nil)
        #expect(try roundTrip(store, \.labels, [label, label]) == [label, label])
    }

    @Test(arguments: StoreKind.allCases)
    func `hold enums with raw values`(_ store: StoreKind) throws {
        #expect(try roundTrip(store, \.priority, .high) == .high)
        #expect(try roundTrip(store, \.maybePriority, .high) == .high)
        #expect(try roundTrip(store, \.maybePriority, nil) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `hold enums with associated values`(_ store: StoreKind) throws {
        let post = Delivery.post(code: "80331", days: 2)
        #expect(try roundTrip(store, \.delivery, post) == post)
    }

    @Test(arguments: StoreKind.allCases)
    func `hold arrays, dictionaries and sets`(_ store: StoreKind) throws {
        #expect(try roundTrip(store, \.words, []) == [])
        #expect(try roundTrip(store, \.maybeWords, ["x", "y"]) == ["x", "y"])
        #expect(try roundTrip(store, \.maybeWords, nil) == nil)
        #expect(try roundTrip(store, \.counts, ["a": 1, "b": 2]) == ["a": 1, "b": 2])
        #expect(try roundTrip(store, \.chosen, [3, 4]) == [3, 4])
    }

    @Test(arguments: StoreKind.allCases)
    func `of structures can be changed in place`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let context = ModelContext(container)
            let parcel = Parcel(code: "a")
            context.insert(parcel)
            try context.save()

            parcel.label.lines.append("new")
            parcel.words[0] = "b"
            parcel.counts["z", default: 1] += 1
            try context.save()

            let fetched = try #require(try ModelContext(container).all(Parcel.self).first)
            #expect(fetched.label.lines == ["new"])
            #expect(fetched.words == ["b"])
            #expect(fetched.counts == ["z": 2])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `that are transient belong to the instance`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let context = ModelContext(container)
            let trip = Trip(name: "a")
            trip.isSelected = true
            context.insert(trip)
            try context.save()

            #expect(trip.isSelected)
            #expect(try context.all(Trip.self).first?.isSelected == true)
            #expect(try ModelContext(container).all(Trip.self).first?.isSelected == false)
        }
    }

    @Test func `that are evaluated have another value in each model`() {
        let (first, second) = (Trip(name: "a"), Trip(name: "b"))

        #expect(first.id != second.id)
    }

    @Test(arguments: StoreKind.allCases)
    func `with external storage hold large values`(_ store: StoreKind) throws {
        try store.withContainer { container in
            let context = ModelContext(container)
            let trip = Trip(name: "a")
            trip.photo = Data(repeating: 7, count: 300_000)
            context.insert(trip)
            try context.save()

            let fetched = try ModelContext(container).all(Trip.self).first
            #expect(fetched?.photo == Data(repeating: 7, count: 300_000))
        }
    }
}
