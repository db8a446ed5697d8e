import CairnModel
import CairnStore
import CairnTestSupport
import Testing

/// Random saves against a store and against dictionaries, which must agree after each.
@Suite(.onEveryEngine) struct `Random saves` {
    @Test func `leave what a naive model says`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var walk = try RandomWalk(seed: seed)

        for _ in 0..<400 { try walk.step() }

        #expect(walk.saves > 100)
        #expect(walk.refusals > 10)
        try walk.checkReopened()
    }
}

private struct RandomWalk {
    private var subject: StoreUnderTest
    /// The same store once more; saves go through either.
    private var other: StoreUnderTest?
    private var random: SeededRandom
    private var naive = NaiveStore()
    private var held: [(snapshot: any StoreSnapshot, state: NaiveStore)] = []
    private(set) var saves = 0
    private(set) var refusals = 0

    init(seed: UInt64) throws {
        subject = try StoreUnderTest()
        other = try subject.openedAgain()
        random = SeededRandom(seed: seed)
    }

    /// One save that may be refused or rolled back, and the check of everything.
    mutating func step() throws {
        var (request, next) = (SaveRequest(), naive)
        if let other, Bool.random(using: &random) { (subject, self.other) = (other, subject) }
        for _ in 0..<Int.random(in: 1...6, using: &random) { try change(&request, &next) }
        let isValid = next.isValid
        let transaction = try subject.store.beginSave()
        do throws(StoreError) {
            try transaction.prepare(request)
            #expect(isValid, "the store took a save that breaks a rule")
            if Int.random(in: 0..<5, using: &random) == 0 {
                transaction.rollback()
            } else {
                _ = try transaction.commit()
                naive = next
                (naive.touched, naive.paired) = ([], [])
                saves += 1
            }
        } catch {
            #expect(!isValid, "\(error)")
            refusals += 1
            transaction.rollback()
        }
        try check(naive, in: try subject.store.snapshot())
        try checkHeldSnapshots()
    }

    /// What a store opened anew holds is what was saved.
    func checkReopened() throws {
        guard let reopened = try subject.openedAgain() else { return }
        try check(naive, in: try reopened.store.snapshot())
    }

    private mutating func checkHeldSnapshots() throws {
        if Int.random(in: 0..<20, using: &random) == 0 {
            held.append((try subject.store.snapshot(), naive))
        }
        if held.count > 3 { held.removeFirst() }
        if let old = held.randomElement(using: &random) { try check(old.state, in: old.snapshot) }
    }

    // MARK: Changing

    private mutating func change(_ request: inout SaveRequest, _ next: inout NaiveStore) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try insertTrack(&request, &next)
        case 4..<6: try updateTrack(&request, &next)
        case 6: try deleteTrack(&request, &next)
        case 7: try insertTag(&request, &next)
        default: try changePair(&request, &next)
        }
    }

    private mutating func insertTrack(
        _ request: inout SaveRequest, _ next: inout NaiveStore
    ) throws {
        next.lastTrack += 1
        naive.lastTrack = next.lastTrack
        let track = randomTrack(version: 1)
        next.tracks[next.lastTrack] = track
        next.touched.insert(next.lastTrack)
        request.inserted.append(RowBatch([try row(next.lastTrack, track)]))
    }

    private mutating func updateTrack(
        _ request: inout SaveRequest, _ next: inout NaiveStore
    ) throws {
        guard
            let (key, old) = naive.tracks.sorted(by: { $0.key < $1.key })
                .randomElement(using: &random)
        else { return }
        // One time in ten the change is made on another version than the stored one.
        let isStale = Int.random(in: 0..<10, using: &random) == 0
        let previous = isStale ? old.version + 1 : old.version
        if isStale || !next.touched.insert(key).inserted { next.hasConflict = true }
        let track = randomTrack(version: previous + 1)
        next.tracks[key] = track
        request.updated.append(
            RowUpdate(
                row: try row(key, track), previousVersion: previous,
                changedSlots: SlotSet(0..<5)))
    }

    private mutating func deleteTrack(
        _ request: inout SaveRequest, _ next: inout NaiveStore
    ) throws {
        guard
            let (key, old) = naive.tracks.sorted(by: { $0.key < $1.key })
                .randomElement(using: &random)
        else { return }
        if !next.touched.insert(key).inserted { next.hasConflict = true }
        next.tracks[key] = nil
        next.pairs = next.pairs.filter { $0.key.track != key }
        request.deleted.append(try subject.deletion("Track", key, from: old.version))
    }

    private mutating func insertTag(
        _ request: inout SaveRequest, _ next: inout NaiveStore
    ) throws {
        next.lastTag += 1
        naive.lastTag = next.lastTag
        next.tags.insert(next.lastTag)
        request.inserted.append(RowBatch([try subject.row("Tag", next.lastTag)]))
    }

    private mutating func changePair(
        _ request: inout SaveRequest, _ next: inout NaiveStore
    ) throws {
        // Only objects that were there before and that the save leaves alone.
        let tracks = naive.tracks.keys.filter { !next.touched.contains($0) }.sorted()
        guard let track = tracks.randomElement(using: &random),
            let tag = naive.tags.sorted().randomElement(using: &random)
        else { return }
        let pair = NaiveStore.Pair(tag: tag, track: track)
        next.paired.insert(track)
        let isInserted = Int.random(in: 0..<3, using: &random) > 0
        let order = NaiveStore.Order(
            inTag: Int64.random(in: 0..<1000, using: &random),
            inTrack: Int64.random(in: 0..<1000, using: &random))
        next.pairs[pair] = isInserted ? order : nil
        request.pairs.append(
            try subject.pair(
                isInserted ? .insert : .delete, "Tag", "tracks", try subject.id("Tag", tag),
                try subject.id("Track", track), order: order.inTag, inverseOrder: order.inTrack))
    }

    private mutating func randomTrack(version: Int64) -> NaiveStore.Track {
        let isLive = Bool.random(using: &random)
        return NaiveStore.Track(
            version: version, isLive: isLive,
            code: Bool.random(using: &random)
                ? "code \(Int.random(in: 0..<400, using: &random))" : nil,
            title: String(repeating: "x", count: Int.random(in: 0..<2000, using: &random)))
    }

    private func row(_ key: Int64, _ track: NaiveStore.Track) throws -> Row {
        try subject.row(
            track.isLive ? "LiveTrack" : "Track", key, version: track.version,
            ["code": track.code.map(Value.string) ?? .null, "title": .string(track.title)])
    }

    // MARK: Checking

    private func check(_ state: NaiveStore, in snapshot: any StoreSnapshot) throws {
        let rows = try subject.rows("Track", in: snapshot, atMost: 7)
        #expect(rows.map(\.key) == state.tracks.keys.sorted())
        for stored in rows {
            let expected = try row(stored.key, try #require(state.tracks[stored.key]))
            #expect(Row.hasSameBytes(stored, expected))
        }
        let live = FetchPlan(entity: try subject.entity("LiveTrack"))
        #expect(try snapshot.count(live) == state.tracks.values.count(where: \.isLive))
        let tags = state.tags.sorted()
        let related = try snapshot.relatedIDs(
            try subject.relationship("Tag", "tracks"), of: tags.map { try subject.id("Tag", $0) })
        for (index, tag) in tags.enumerated() {
            let members = related.members[related.range(ofOwnerAt: index)].map(\.key)
            #expect(members == state.tracks(of: tag))
        }
        let tracks = state.tracks.keys.sorted()
        let inverse = try snapshot.relatedIDs(
            try subject.relationship("Track", "tags"),
            of: tracks.map { try subject.id("Track", $0) })
        for (index, track) in tracks.enumerated() {
            let members = inverse.members[inverse.range(ofOwnerAt: index)].map(\.key)
            #expect(members == state.tags(of: track))
        }
    }
}

/// What a store with tracks and tags holds, kept in the simplest way.
private struct NaiveStore {
    struct Track {
        var version: Int64
        var isLive: Bool
        var code: String?
        var title: String
    }

    struct Pair: Hashable {
        var tag: Int64
        var track: Int64
    }

    struct Order {
        var inTag: Int64
        var inTrack: Int64
    }

    var tracks: [Int64: Track] = [:]
    var tags: Set<Int64> = []
    var pairs: [Pair: Order] = [:]
    var lastTrack: Int64 = 0
    var lastTag: Int64 = 0
    /// Tracks that the save at hand changes.
    var touched: Set<Int64> = []
    /// Tracks whose pairs the save at hand changes.
    var paired: Set<Int64> = []
    var hasConflict = false

    /// Whether a store may take the state.
    var isValid: Bool {
        let codes = tracks.values.compactMap(\.code)
        return !hasConflict && Set(codes).count == codes.count
    }

    func tracks(of tag: Int64) -> [Int64] {
        pairs.filter { $0.key.tag == tag }
            .sorted { ($0.value.inTag, $0.key.track) < ($1.value.inTag, $1.key.track) }
            .map(\.key.track)
    }

    func tags(of track: Int64) -> [Int64] {
        pairs.filter { $0.key.track == track }
            .sorted { ($0.value.inTrack, $0.key.tag) < ($1.value.inTrack, $1.key.tag) }
            .map(\.key.tag)
    }
}
