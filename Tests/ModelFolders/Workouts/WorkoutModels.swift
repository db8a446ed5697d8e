// Apps seldom document their models.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import SwiftData

@Model
open class Workout {
    #Index<Workout>([\.start], [\.kind])

    public enum Kind: String, Codable { case run, swim, gym }

    var start: Date
    var kind: Kind
    /// The minutes of rest, at most an hour.
    var rest: Int = 0 {
        willSet(minutes) { lastRest = minutes }
        didSet { if rest > 60 { rest = 60 } }
    }
    var samples: [Double] = []
    var notes: [String: String] = [:]
    @Transient private(set) var lastRest: Int? = nil
    @Relationship(deleteRule: .nullify, inverse: \Gear.workouts) var gear: [Gear] = []

    init(start: Date, kind: Kind) {
        self.start = start
        self.kind = kind
    }
}

@Model
class RunWorkout: Workout {
    var distance: Double
    var route: Route = Route(points: [])
    var pace: Measure<Double>?

    init(start: Date, distance: Double) {
        self.distance = distance
        super.init(start: start, kind: .run)
    }

    struct Point: Codable, Hashable { var x, y: Double }

    struct Route: Codable, Hashable {
        var points: [Point]
        var name: String?
    }
}

@Model
final class RaceWorkout: RunWorkout {
    var bib: UInt16
    var result: Result = Result.pending

    init(start: Date, bib: UInt16) {
        self.bib = bib
        super.init(start: start, distance: 42.195)
    }

    enum Result: Codable, Hashable {
        case pending
        case finished(seconds: Int)
        case abandoned(reason: String, at: Double)
    }
}

/// A value and its unit.
struct Measure<Value: Codable & Hashable>: Codable, Hashable {
    var value: Value
    var unit: String
}

@Model
final class Gear {
    #Unique<Gear>([\.kind, \.name])

    var name: String
    var kind: Kind
    var size: CGFloat = 0
    var workouts: [Workout] = []

    init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    enum Kind: Int8, Codable { case shoe, watch }
}
