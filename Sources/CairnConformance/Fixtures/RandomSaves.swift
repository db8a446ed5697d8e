import CairnModel
import CairnRows
import CairnStore

/// Makes random saves both to a store and to dictionaries, which must agree after each save.
struct RandomSaves {
    /// The store handle of the current save, and another handle if the engine is shared. Each save uses
    /// one of them.
    private var subject: StoreSubject
    private var other: StoreSubject?
    private var random: SplitMix64
    private var naive = NaiveStore()
    private var held: [(snapshot: any StoreSnapshot, state: NaiveStore)] = []
    private var commitCount = 0
    private var refusalCount = 0

    private init(_ subject: StoreSubject) throws {
        self.subject = subject
        other = subject.harness.engine.capabilities.isShared ? try subject.openAgain() : nil
        random = SplitMix64(state: subject.seed)
    }

    /// Makes `count` random saves, generated from the rule's seed.
    static func run(_ subject: StoreSubject, count: Int) throws {
        var saves = try RandomSaves(subject)
        for _ in 0..<count { try saves.step() }
        try saves.checkReopened()
        try require(
            saves.commitCount > count / 4 && saves.refusalCount > 0,
            "some random saves are accepted and some are refused")
    }

    /// Makes one save, which may be refused or rolled back, and then checks the whole store.
    private mutating func step() throws {
        if let other, random.below(2) == 0 { (subject, self.other) = (other, subject) }
        let transaction = try subject.store.beginSave()
        var (draft, next) = (SaveDraft(subject, transaction), naive)
        for _ in 0..<1 + random.below(6) { try change(&draft, &next) }
        do {
            try transaction.prepare(draft.request)
        } catch {
            transaction.rollback()
            try require(
                !next.isValid,
                "a save that breaks no rule is accepted, but it was refused: \(error)")
            refusalCount += 1
            return try check()
        }
        try require(next.isValid, "a save that breaks a rule is refused")
        if random.below(5) == 0 {
            transaction.rollback()
        } else {
            _ = try transaction.commit()
            commitCount += 1
            naive = next
            naive.touched = []
        }
        try check()
    }

    // MARK: Changing

    private mutating func change(_ draft: inout SaveDraft, _ next: inout NaiveStore) throws {
        switch random.below(10) {
        case 0..<4: try insertTrack(&draft, &next)
        case 4..<6: try updateTrack(&draft, &next)
        case 6: deleteTrack(&draft, &next)
        case 7: next.tags.insert(try draft.insert("Tag"))
        default: try changePair(&draft, &next)
        }
    }

    private mutating func insertTrack(_ draft: inout SaveDraft, _ next: inout NaiveStore) throws {
        let track = randomTrack(version: 1, isLive: random.below(2) == 0)
        let id = try draft.insert(track.isLive ? "LiveTrack" : "Track", values(track))
        next.tracks[id] = track
        next.touched.insert(id)
    }

    private mutating func updateTrack(_ draft: inout SaveDraft, _ next: inout NaiveStore) throws {
        let tracks = naive.sortedTracks
        guard !tracks.isEmpty else { return }
        let id = tracks[random.below(tracks.count)]
        guard let old = naive.tracks[id] else { return }
        let isTwice = !next.touched.insert(id).inserted
        // In one of ten updates, the expected version differs from the stored one.
        let isStale = !isTwice && random.below(10) == 0
        let previous = isStale ? old.version + 1 : old.version
        if isStale || isTwice { next.hasConflict = true }
        let track = randomTrack(version: previous + 1, isLive: old.isLive)
        next.tracks[id] = track
        try draft.update(
            track.isLive ? "LiveTrack" : "Track", id, from: previous, values(track))
    }

    private mutating func deleteTrack(_ draft: inout SaveDraft, _ next: inout NaiveStore) {
        let tracks = naive.sortedTracks
        guard !tracks.isEmpty else { return }
        let id = tracks[random.below(tracks.count)]
        guard let old = naive.tracks[id] else { return }
        if !next.touched.insert(id).inserted { next.hasConflict = true }
        next.tracks[id] = nil
        next.pairs = next.pairs.filter { $0.key.track != id }
        draft.delete(id, from: old.version)
    }

    private mutating func changePair(_ draft: inout SaveDraft, _ next: inout NaiveStore) throws {
        // Only objects that existed before and that the save does not change otherwise.
        let tracks = naive.sortedTracks.filter { !next.touched.contains($0) }
        let tags = naive.sortedTags
        guard !tracks.isEmpty, !tags.isEmpty else { return }
        let pair = NaiveStore.Pair(
            tag: tags[random.below(tags.count)], track: tracks[random.below(tracks.count)])
        // A track with a pair here must not be deleted later in the same save.
        guard next.tracks[pair.track] != nil else { return }
        next.touched.insert(pair.track)
        let isInserted = random.below(3) > 0
        let order = NaiveStore.Order(inTag: newOrder(), inTrack: newOrder())
        next.pairs[pair] = isInserted ? order : nil
        try draft.pair(
            isInserted ? .insert : .delete, "Tag", "tracks", pair.tag, pair.track,
            order: order.inTag, inverseOrder: order.inTrack)
        guard let track = next.tracks[pair.track] else { return }
        try draft.touch(
            track.isLive ? "LiveTrack" : "Track", pair.track, from: track.version, values(track))
        next.tracks[pair.track]?.version += 1
    }

    /// Returns an order key, which is small or large, and sometimes the key of another pair.
    private mutating func newOrder() -> Int64 {
        let key = Int64(random.below(40))
        return random.below(2) == 0 ? key : key << 40
    }

    private mutating func randomTrack(version: Int64, isLive: Bool) -> NaiveStore.Track {
        NaiveStore.Track(
            version: version, isLive: isLive,
            code: random.below(2) == 0 ? "code \(random.below(200))" : nil,
            title: String(repeating: "x", count: random.below(2000)))
    }

    private func values(_ track: NaiveStore.Track) -> [String: Value] {
        ["code": track.code.map(Value.string) ?? .null, "title": .string(track.title)]
    }

    // MARK: Checking

    /// Checks the store's contents after all handles were closed.
    private mutating func checkReopened() throws {
        held = []
        try other?.store.close()
        guard subject.harness.engine.capabilities.isDurable else { return }
        subject = try subject.reopened()
        try check(naive, in: try subject.store.snapshot())
        try subject.store.close()
    }

    private mutating func check() throws {
        try check(naive, in: try subject.store.snapshot())
        if random.below(20) == 0 { held.append((try subject.store.snapshot(), naive)) }
        if held.count > 3 { held.removeFirst() }
        guard !held.isEmpty else { return }
        let old = held[random.below(held.count)]
        try check(old.state, in: old.snapshot)
    }

    private func check(_ state: NaiveStore, in snapshot: any StoreSnapshot) throws {
        let rows = try subject.rows("Track", in: snapshot)
        try requireEqual(rows.map(\.id), state.sortedTracks, "the tracks")
        for stored in rows {
            let track = try requireValue(state.tracks[stored.id], "a track")
            let expected = try subject.row(
                track.isLive ? "LiveTrack" : "Track", stored.key, version: track.version,
                values(track))
            try require(Row.hasSameBytes(stored, expected), "track \(stored.key) is as saved")
        }
        if let count = try snapshot.count(try subject.plan("LiveTrack")) {
            try requireEqual(count, state.tracks.values.count(where: \.isLive), "live tracks")
        }
        try checkMembers("Tag", "tracks", state.sortedTags, in: snapshot, state.tracks(of:))
        try checkMembers("Track", "tags", state.sortedTracks, in: snapshot, state.tags(of:))
    }

    private func checkMembers(
        _ entity: String, _ name: String, _ owners: [ObjectID], in snapshot: any StoreSnapshot,
        _ expected: (ObjectID) -> [ObjectID]
    ) throws {
        let related = try snapshot.relatedIDs(
            try subject.relationship(entity, name), of: owners)
        for (index, owner) in owners.enumerated() {
            let members = Array(related.members[related.range(ofOwnerAt: index)])
            try requireEqual(
                members.map(\.key), expected(owner).map(\.key), "\(entity) \(owner.key).\(name)")
        }
    }
}

/// The contents of a store with tracks and tags, kept in the simplest form that is correct.
struct NaiveStore {
    struct Track {
        var version: Int64
        var isLive: Bool
        var code: String?
        var title: String
    }

    struct Pair: Hashable {
        var tag: ObjectID
        var track: ObjectID
    }

    /// The order keys of a pair: the track's among the tag's tracks, and the tag's among the track's
    /// tags.
    struct Order {
        var inTag: Int64
        var inTrack: Int64
    }

    var tracks: [ObjectID: Track] = [:]
    var tags: Set<ObjectID> = []
    var pairs: [Pair: Order] = [:]
    /// The tracks that the current save changes.
    var touched: Set<ObjectID> = []
    /// Whether the current save expects a version that differs from the stored one, or changes a track
    /// twice.
    var hasConflict = false

    /// Whether a store may accept the state.
    var isValid: Bool {
        let codes = tracks.values.compactMap(\.code)
        return !hasConflict && Set(codes).count == codes.count
    }

    /// The tracks in the order of their keys, so that a seed always gives the same saves.
    var sortedTracks: [ObjectID] { tracks.keys.sorted { $0.key < $1.key } }

    /// The tags in the order of their keys.
    var sortedTags: [ObjectID] { tags.sorted { $0.key < $1.key } }

    func tracks(of tag: ObjectID) -> [ObjectID] {
        pairs.filter { $0.key.tag == tag }
            .sorted { ($0.value.inTag, $0.key.track.key) < ($1.value.inTag, $1.key.track.key) }
            .map(\.key.track)
    }

    func tags(of track: ObjectID) -> [ObjectID] {
        pairs.filter { $0.key.track == track }
            .sorted { ($0.value.inTrack, $0.key.tag.key) < ($1.value.inTrack, $1.key.tag.key) }
            .map(\.key.tag)
    }
}

/// The SplitMix64 generator by Steele, Lea and Flood. It is small, and gives the same numbers on every
/// platform.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(state: UInt64) { self.state = state }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a number from 0 up to but not including the bound. Returns 0 if the bound is not positive.
    mutating func below(_ bound: Int) -> Int {
        bound > 0 ? Int(next() % UInt64(bound)) : 0
    }
}
