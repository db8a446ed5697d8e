import CairnStore

/// Where a context reads: from the source that it is connected to, or from one state of that source, to
/// which the context is pinned.
struct ContextReading {
    private let connection: ContextConnection
    /// Where objects come from: the connection's source, or one state of it.
    private(set) var source: any ObjectSource {
        didSet { holdsUnsavedObjects = source.holdsUnsavedObjects }
    }
    /// Whether objects with temporary IDs may come from there. Kept because it is asked for each object
    /// that is made.
    private(set) var holdsUnsavedObjects: Bool
    /// Which state of its stores the context reads. `nil` if it always reads the newest.
    private(set) var token: QueryGenerationToken?
    /// Whether the pinned state is to be the newest again after each save and merge.
    private var isFollowing = false

    init(_ connection: ContextConnection) {
        self.connection = connection
        source = connection.source
        holdsUnsavedObjects = source.holdsUnsavedObjects
    }

    /// Makes the connection that was set the source.
    mutating func takeConnectionIn() { source = connection.source }

    /// Pins the context to the state of a token. `nil`: always the newest state.
    ///
    /// - Throws: `.queryGenerationUnsupported`, `.store`.
    mutating func pin(to token: QueryGenerationToken?) throws(GraphError) {
        let origin = connection.source
        guard let token else {
            source = origin
            isFollowing = false
            self.token = nil
            return
        }
        guard !origin.holdsUnsavedObjects, let coordinator = origin.coordinator else {
            throw .queryGenerationUnsupported(
                "a child reads what its parent has. Pin the parent instead.")
        }
        let pinned =
            if let state = token.state {
                PinnedSource(coordinator, state)
            } else {
                try PinnedSource.pinningNewest(of: coordinator)
            }
        read(pinned)
        isFollowing = token.state == nil
    }

    /// Goes on to the newest state, if the context is pinned to what is current. If the store cannot be
    /// read now, the context stays at the state that could be read.
    mutating func advance() {
        guard isFollowing, let coordinator = connection.source.coordinator,
            let pinned = try? PinnedSource.pinningNewest(of: coordinator)
        else { return }
        read(pinned)
    }

    private mutating func read(_ pinned: PinnedSource) {
        source = pinned
        token = QueryGenerationToken(state: pinned.state)
    }
}
