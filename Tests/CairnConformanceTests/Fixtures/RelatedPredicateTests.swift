import CairnBinary
import CairnLMDB
import CairnMemory
import CairnModel
import CairnSQLite
import CairnStore
import CairnTestSupport
import CairnXML
import FolderStore
import Testing

@testable import CairnConformance

/// Engines may start at the other end of a relationship to find the matches of a predicate. The answer must
/// be the same as when relationships are followed row by row.
@Suite struct `Predicates through relationships` {
    private static let engines: [StoreType: any PersistentStore.Type] = [
        SQLiteStore.type: SQLiteStore.self, LMDBStore.type: LMDBStore.self,
        InMemoryStore.type: InMemoryStore.self, BinaryStore.type: BinaryStore.self,
        XMLStore.type: XMLStore.self, FolderStore.type: FolderStore.self,
    ]

    @Test(arguments: engines.keys.sorted { $0.rawValue < $1.rawValue })
    func `match the same as following relationships one by one`(_ type: StoreType) throws {
        let seed = SeededRandom.seed(of: "predicates through relationships")
        let engine = try #require(Self.engines[type])
        let subject = try StoreSubject(EngineHarness(engine))
        defer { try? subject.end() }
        var music = RandomMusic(seed: seed)
        try music.fill(subject)
        let snapshot = try subject.store.snapshot()
        let oracle = PlanFinisher(snapshot, subject.layouts)
        var tellingCount = 0

        for name in ["Track", "Album", "Person", "Label", "Tag"] {
            let entity = try subject.entity(name)
            let all = try subject.drain(
                try snapshot.cursor(FetchPlan(entity: entity)), atMost: 500)
            for _ in 0..<80 {
                let plan = try music.plan(of: entity)
                let expected = try oracle.answer(plan, over: all)
                let found = try subject.ids(plan, in: snapshot, atMost: 30)
                try #require(
                    Set(found) == Set(expected) && found.count == expected.count,
                    "CAIRN_SEED=\(seed) \(name) \(plan.limit ?? -1): \(music.text)")
                if let count = try snapshot.count(plan) { try #require(count == expected.count) }
                if !expected.isEmpty, expected.count < all.count { tellingCount += 1 }
            }
        }

        #expect(tellingCount > 80, "CAIRN_SEED=\(seed)")
    }
}

/// A music collection with random links, some of them dangling, and predicates on it.
private struct RandomMusic {
    private var random: SeededRandom
    /// The text of the last predicate.
    private(set) var text = ""

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func pick(_ count: Int) -> Int { .random(in: 0..<count, using: &random) }

    private mutating func one<T>(of choices: [T]) -> T { choices[pick(choices.count)] }

    // MARK: Objects

    mutating func fill(_ subject: StoreSubject) throws {
        var gone: [(String, ObjectID)] = []
        try subject.save { draft in
            let people = try insert(24, "Person", "P", into: &draft)
            let labels = try insert(9, "Label", "L", into: &draft) { music in
                music.pick(3) == 0 ? [:] : ["boss": .objectID(music.one(of: people))]
            }
            let genres = try insert(6, "Genre", "G", into: &draft)
            let tags = try insert(8, "Tag", "T", into: &draft)
            let albums = try insert(30, "Album", "A", into: &draft) { music in
                ["year": .integer(1960 + Int64(music.pick(6)))].merging(
                    music.pick(4) == 0 ? [:] : ["label": .objectID(music.one(of: labels))]
                ) { $1 }
            }
            let tracks = try insert(70, "Track", nil, into: &draft) { music in
                let album: [String: Value] =
                    music.pick(6) == 0 ? [:] : ["album": .objectID(music.one(of: albums))]
                return album.merging(
                    ["length": .double(Double(music.pick(9) * 10)), "title": music.title()]
                ) { $1 }
            }
            try pair(albums, "Album", "genres", genres, into: &draft)
            try pair(tracks, "Track", "tags", tags, into: &draft)
            try pair(people, "Person", "friends", people, into: &draft)
            try pair(albums, "Album", "related", albums, into: &draft)
            gone = [("Label", labels[0]), ("Album", albums[0]), ("Person", people[0])]
        }
        // Stores apply no delete rules, so relationships to these objects now dangle.
        try subject.save { draft in for (_, id) in gone { draft.delete(id) } }
    }

    private mutating func title() -> Value { one(of: ["x", "y", "T1", .null]) }

    private mutating func insert(
        _ count: Int, _ entity: String, _ prefix: String?, into draft: inout SaveDraft,
        _ values: (inout RandomMusic) -> [String: Value] = { _ in [:] }
    ) throws -> [ObjectID] {
        var ids: [ObjectID] = []
        for index in 0..<count {
            var all = values(&self)
            if let prefix, index % 7 != 6 { all["name"] = .string("\(prefix)\(index % 5)") }
            let isSub = entity == "Track" && index % 4 == 0
            ids.append(try draft.insert(isSub ? "LiveTrack" : entity, all))
        }
        return ids
    }

    private mutating func pair(
        _ owners: [ObjectID], _ entity: String, _ relationship: String, _ members: [ObjectID],
        into draft: inout SaveDraft
    ) throws {
        for owner in owners {
            for (order, member) in members.shuffled(using: &random).prefix(pick(4)).enumerated() {
                try draft.pair(
                    .insert, entity, relationship, owner, member,
                    order: relationship == "tags" ? Int64(order + 1) * 1024 : nil)
            }
        }
    }

    // MARK: Predicates

    mutating func plan(of entity: Entity) throws -> FetchPlan {
        text = predicate(on: entity.name, depth: 2)
        let bound = try FetchPredicate(format: text).bound(to: entity)
        var plan = FetchPlan(entity: entity, predicate: bound)
        plan.includesSubentities = pick(5) > 0
        if pick(4) == 0 {
            plan.sorts = [BoundSort(BoundPath(leaf: .object))]
            plan.limit = pick(12)
            plan.offset = pick(4)
        }
        return plan
    }

    private mutating func predicate(on entity: String, depth: Int) -> String {
        switch depth > 0 ? pick(6) : 0 {
        case 0...2: comparison(on: entity)
        case 3:
            "(\(predicate(on: entity, depth: depth - 1)) AND "
                + "\(predicate(on: entity, depth: depth - 1)))"
        case 4:
            "(\(predicate(on: entity, depth: depth - 1)) OR "
                + "\(predicate(on: entity, depth: depth - 1)))"
        default: "NOT (\(predicate(on: entity, depth: depth - 1)))"
        }
    }

    private mutating func comparison(on entity: String) -> String {
        let (toOnes, toManys) = Self.paths[entity] ?? ([], [])
        switch toOnes.isEmpty ? 4 + pick(5) : pick(9) {
        case 0...3: return nameTest(one(of: toOnes))
        case 4, 5: return "\(one(of: ["ANY", "ALL", "NONE"])) \(nameTest(one(of: toManys)))"
        case 6: return "\(name()) IN \(one(of: toManys)).name"
        case 7: return "\(one(of: toManys)).@count \(order()) \(pick(4))"
        default:
            let collection = one(of: toManys.filter { !$0.contains("genres.") })
            let test = one(of: [
                nameTest("$m"), nameTest("$m") + " OR $m.name == NULL", "$m != NULL",
            ])
            return "SUBQUERY(\(collection), $m, \(test)).@count \(order()) \(pick(3))"
        }
    }

    /// Key paths of to-one and of to-many relationships to objects that have a name.
    private static let paths: [String: ([String], [String])] = [
        "Track": (
            ["album", "album.label", "album.label.boss", "album.label.parent"],
            ["tags", "album.genres", "album.related"]
        ),
        "Album": (
            ["label", "label.boss", "label.boss.mentor"], ["genres", "related", "label.albums"]
        ),
        "Person": (["mentor", "mentor.mentor", "leads"], ["friends", "pupils", "leads.albums"]),
        "Label": (["boss", "parent", "boss.mentor"], ["albums", "boss.friends"]),
        "Tag": ([], ["tracks.album", "tracks.album.label"]),
    ]

    private mutating func nameTest(_ path: String) -> String {
        switch pick(9) {
        case 0: "\(path) == NULL"
        case 1: "\(path) != NULL"
        case 2: "\(path).name IN {\(name()), \(name())}"
        case 3: "\(path).name BEGINSWITH '\(one(of: ["A", "L", "P1", ""]))'"
        case 4: "\(path).name ==[c] 'a1'"
        default: "\(path).name \(order()) \(name())"
        }
    }

    private mutating func name() -> String {
        one(of: ["NULL", "'zz'"] + ["A", "L", "P", "G", "T"].map { "'\($0)\(pick(5))'" })
    }

    private mutating func order() -> String { one(of: ["==", "!=", "<", "<=", ">", ">="]) }
}
