import Foundation
import SwiftData

// A model folder as an app would have it: it imports nothing else.

enum Season: String, Codable, CaseIterable {
    case spring, summer, autumn, winter
}

struct Address: Codable, Hashable {
    var street = ""
    var town = ""
    var number: Int?
}

@Model
final class Trip {
    #Unique<Trip>([\.name])
    #Index<Trip>([\.start], [\.name, \.start])

    var id: UUID = UUID()
    var name: String
    var start = Date()
    var price: Double = 0
    var season: Season = Season.summer
    var note: String?
    var tags: [String] = []
    var home: Address?
    var isDone = false
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    @Relationship var guides: [Guide] = []
    @Transient var isSelected = false

    init(name: String, start: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        self.name = name
        self.start = start
    }

    var title: String { name.uppercased() }
}

@Model
final class Stop {
    var title: String
    var day: Int
    var trip: Trip?

    init(title: String, day: Int = 1, trip: Trip? = nil) {
        self.title = title
        self.day = day
        self.trip = trip
    }
}

@Model
class Guide {
    var name: String
    @Relationship(inverse: \Trip.guides) var trips: [Trip]?

    init(name: String) { self.name = name }
}

@Model
final class Pilot: Guide {
    var hours: Int
    var licence: String = "A"

    init(name: String, hours: Int) {
        self.hours = hours
        super.init(name: name)
    }
}
