import CairnModel

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
