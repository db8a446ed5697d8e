import CairnStack

/// What a context reads from: the source that it is connected to, or the state of that source to which
/// it is pinned.
struct ContextReading {
    private let connection: ContextConnection
    /// The source of objects: the connection's source, or one state of it.
    private(set) var source: any ObjectSource {
        didSet { holdsUnsavedObjects = source.holdsUnsavedObjects }
    }
    /// Whether objects with temporary IDs may come from the source. Stored because it is needed for each
    /// object that is created.
    private(set) var holdsUnsavedObjects: Bool
    /// The state of the stores that the context reads. `nil` if the context always reads the newest
    /// state.
    private(set) var token: QueryGenerationToken?
    /// Whether the context is pinned again to the newest state after each save and merge.
    private var isFollowing = false

    init(_ connection: ContextConnection) {
        self.connection = connection
        source = connection.source
        holdsUnsavedObjects = source.holdsUnsavedObjects
    }

    /// Uses the source of the current connection.
    mutating func takeConnectionIn() { source = connection.source }

    /// Pins the context to the state of a token. If `token` is `nil`, the context always reads the
    /// newest state.
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
                "it is a child context, which reads from its parent. Pin the parent instead.")
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

    /// Advances to the newest state if the context was pinned to ``QueryGenerationToken/current``. If
    /// the store cannot be read, the context stays pinned to its present state.
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
