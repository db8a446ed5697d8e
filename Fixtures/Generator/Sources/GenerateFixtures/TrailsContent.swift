import Cairn
import Foundation

/// Fills a store with 10,000 objects of a walking club, the same each time.
struct TrailsContent {
    private let context: ManagedObjectContext
    private var random = SeededNumbers(seed: 2_026)
    private var tags: [ManagedObject] = []
    private var places: [ManagedObject] = []
    private var trails: [ManagedObject] = []
    private var walkers: [ManagedObject] = []

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Creates all objects and saves them.
    ///
    /// There are 24 tags, 600 summits, 276 huts, 500 trails, 800 walkers, 4,800 walks and 3,000 photos.
    mutating func make() throws {
        for name in Self.tagNames { try makeTag(name) }
        for number in 0..<600 { try makeSummit(number) }
        for _ in 0..<800 { try makeWalker() }
        for number in 0..<276 { try makeHut(number) }
        for _ in 0..<500 { try makeTrail() }
        try makeFriends()
        try context.save()
        for number in 0..<4_800 { try makeWalk(photoCount: number % 8 < 5 ? 1 : 0) }
        try context.save()
    }

    private mutating func makeTag(_ name: String) throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        try tag.setValue(name, forKey: "name")
        tags.append(tag)
    }

    // MARK: Places

    private mutating func makeSummit(_ number: Int) throws {
        let summit = try makePlace("Summit", named: "\(pick(Self.peaks)) \(pick(Self.peakKinds))")
        let elevation = Int32.random(in: 900...4_400, using: &random)
        try summit.setValue(elevation, forKey: "elevation")
        if number % 3 != 0 {
            try summit.setValue(date(year: 1_780...1_960), forKey: "firstAscent")
        }
        try summit.setValue(Float(elevation) / 4, forKey: "prominence")
    }

    private mutating func makeHut(_ number: Int) throws {
        let hut = try makePlace("Hut", named: "\(pick(Self.peaks)) hut")
        try hut.setValue(Int32.random(in: 600...2_900, using: &random), forKey: "elevation")
        try hut.setValue(Int16.random(in: 6...180, using: &random), forKey: "beds")
        let cents = Int.random(in: 1_800...6_500, using: &random)
        try hut.setValue(Decimal(cents) / 100, forKey: "pricePerNight")
        if number % 4 != 0 { try hut.setValue(date(year: 2_026...2_026), forKey: "opensOn") }
        try hut.setValue(
            URL(string: "https://huts.example/\(number)"), forKey: "website")
        try hut.setValue(pick(walkers), forKey: "keeper")
    }

    private mutating func makePlace(_ entity: String, named name: String) throws -> ManagedObject {
        let place = try context.insertNewObject(forEntityName: entity)
        try place.setValue(name, forKey: "name")
        try place.setValue(Double.random(in: 45.8...47.6, using: &random), forKey: "latitude")
        try place.setValue(Double.random(in: 6.2...15.4, using: &random), forKey: "longitude")
        places.append(place)
        return place
    }

    private mutating func makeTrail() throws {
        let trail = try context.insertNewObject(forEntityName: "Trail")
        let waypoints = (0..<Int.random(in: 2...7, using: &random)).map { _ in pick(places) }
        // An ordered set contains each waypoint only once. Its first occurrence counts.
        var seen = Set<ObjectIdentifier>()
        let distinct = waypoints.filter { seen.insert(ObjectIdentifier($0)).inserted }
        try trail.setValue("\(pick(Self.peaks)) \(pick(Self.trailKinds))", forKey: "name")
        try trail.setValue(
            (Double.random(in: 3...42, using: &random) * 10).rounded() / 10, forKey: "kilometres")
        try trail.setValue(Bool.random(using: &random), forKey: "isWaymarked")
        try trail.orderedObjects("waypoints", as: ManagedObject.self).replaceAll(with: distinct)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            try trail.objects("tags", as: ManagedObject.self).insert(pick(tags))
        }
        trails.append(trail)
    }

    // MARK: People

    private mutating func makeWalker() throws {
        let walker = try context.insertNewObject(forEntityName: "Walker")
        let name = "\(pick(Self.firstNames)) \(pick(Self.lastNames))"
        try walker.setValue(name, forKey: "name")
        try walker.setValue(uuid(), forKey: "memberID")
        if walkers.count % 5 != 0 {
            let address = name.lowercased().replacing(" ", with: ".")
            try walker.setValue("\(address).\(walkers.count)@walkers.example", forKey: "email")
        }
        try walker.setValue(date(year: 1_998...2_026), forKey: "joinedOn")
        walkers.append(walker)
    }

    private mutating func makeFriends() throws {
        for walker in walkers {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let friend = pick(walkers)
                guard friend !== walker else { continue }
                try walker.objects("friends", as: ManagedObject.self).insert(friend)
            }
        }
    }

    private mutating func makeWalk(photoCount: Int) throws {
        let walk = try context.insertNewObject(forEntityName: "Walk")
        let date = date(year: 2_015...2_026)
        try walk.setValue(date, forKey: "date")
        try walk.setValue(Int64.random(in: 40...720, using: &random), forKey: "minutes")
        if Bool.random(using: &random) { try walk.setValue(pick(Self.notes), forKey: "note") }
        try walk.setValue(pick(walkers), forKey: "walker")
        try walk.setValue(pick(trails), forKey: "trail")
        for number in 0..<photoCount {
            let photo = try context.insertNewObject(forEntityName: "Photo")
            try photo.setValue(pick(Self.captions), forKey: "caption")
            try photo.setValue(date + Double(number * 600), forKey: "takenAt")
            try photo.setValue(thumbnail(), forKey: "thumbnail")
            try walk.orderedObjects("photos", as: ManagedObject.self).append(photo)
        }
    }

    // MARK: Values

    private mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }

    /// Returns a random time, rounded to a minute, in the given years.
    private mutating func date(year: ClosedRange<Int>) -> Date {
        let yearSeconds = 31_556_952.0
        let start = Double(year.lowerBound - 2_001) * yearSeconds
        let end = Double(year.upperBound - 2_000) * yearSeconds
        return Date(
            timeIntervalSinceReferenceDate: (Double.random(in: start..<end, using: &random) / 60)
                .rounded() * 60)
    }

    private mutating func uuid() -> UUID {
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
        // Sets version 4 and variant 1, which RFC 9562 requires for a random UUID.
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Returns a picture of 8 × 8 pixels as a PPM file.
    private mutating func thumbnail() -> Data {
        let pixels = (0..<192).map { _ in UInt8.random(in: 0...255, using: &random) }
        return Data("P6 8 8 255\n".utf8) + Data(pixels)
    }

    // MARK: Words

    private static let tagNames = [
        "airy", "bus stop", "children", "circular", "dogs", "easy", "exposed", "family", "forest",
        "glacier", "gorge", "historic", "lake", "long", "meadow", "panorama", "quiet", "ridge",
        "rocky", "shade", "snow", "steep", "sunrise", "water",
    ]
    private static let peaks = [
        "Alder", "Bärenkopf", "Chamois", "Dôme", "Eagle", "Fröstel", "Granite", "Heron", "Iron",
        "Juniper", "Kestrel", "Larch", "Marmot", "Névé", "Otter", "Pine", "Quartz", "Raven",
        "Schwarzsee", "Thistle", "Ursa", "Vetta", "Wolf", "Ziller",
    ]
    private static let peakKinds = ["Peak", "Horn", "Needle", "Head", "Spitze", "Tower"]
    private static let trailKinds = ["path", "loop", "traverse", "way", "ridge walk", "high route"]
    private static let firstNames = [
        "Ada", "Björn", "Chiara", "Dafydd", "Elif", "Finn", "Gwen", "Hana", "Ivo", "Jana", "Kofi",
        "Léa", "Mateo", "Noor", "Oskar", "Priya", "Quinn", "Rosa", "Søren", "Tomás",
    ]
    private static let lastNames = [
        "Abad", "Brandt", "Costa", "Dahl", "Egger", "Fischer", "Gruber", "Hofer", "Ito", "Jansen",
        "Keller", "Lang", "Moser", "Novák", "Okafor", "Petit", "Rossi", "Steiner", "Tanaka", "Weiß",
    ]
    private static let notes = [
        "Fog until noon, then clear.", "Snow above 2,000 m.", "Turned back at the ridge.",
        "Met nobody all day.", "The bridge is out; waded.", "Soup at the hut. Excellent soup.",
        "Too hot.", "First of the season.",
    ]
    private static let captions = [
        "At the top", "Before the rain", "Last light", "The hut", "Marmot, far away", "Selfie",
    ]
}
