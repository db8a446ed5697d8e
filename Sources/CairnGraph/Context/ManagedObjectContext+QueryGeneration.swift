import CairnStore

extension ManagedObjectContext {
    /// Pins the context to one state of its stores: whatever others save, its fetches and faults
    /// read that state, until it is told otherwise.
    ///
    /// Pinned to ``QueryGenerationToken/current``, the context goes on to the newest state with each
    /// save, reset, merge and ``refreshAllObjects()``; pinned to the token of another context it
    /// stays there. Objects with values keep them either way; see ``refreshAllObjects()``. A save is
    /// made on the newest state, so what others changed is a conflict.
    ///
    /// - Parameter token: nil: always the newest state.
    /// - Throws: `.queryGenerationUnsupported` for a child context, which reads its parent, and for
    ///   stores of an engine that cannot keep a state; `.store`, `.wrongThread`.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws(GraphError) {
        try checkTurn("setQueryGeneration(from:)")
        guard let token else {
            source = origin
            isFollowingGenerations = false
            queryGenerationToken = nil
            return
        }
        guard !origin.holdsUnsavedObjects, let coordinator = origin.coordinator else {
            throw .queryGenerationUnsupported(
                "a child reads what its parent has. Pin the parent instead.")
        }
        let pinned: PinnedSource
        if let state = token.state {
            pinned = PinnedSource(coordinator, state)
        } else {
            pinned = try PinnedSource.pinningNewest(of: coordinator)
        }
        source = pinned
        isFollowingGenerations = token.state == nil
        queryGenerationToken = QueryGenerationToken(state: pinned.state)
    }

    /// Pins the context to one state of its stores. The same as ``setQueryGeneration(from:)``, by Core
    /// Data's name.
    ///
    /// - Throws: as there.
    public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws(GraphError) {
        try setQueryGeneration(from: token)
    }

    /// Goes on to the newest state, where the context is pinned to what is current.
    func advanceQueryGeneration() {
        guard isFollowingGenerations, let coordinator = origin.coordinator else { return }
        // Where the store cannot be read now, the state that could be stays.
        guard let pinned = try? PinnedSource.pinningNewest(of: coordinator) else { return }
        source = pinned
        queryGenerationToken = QueryGenerationToken(state: pinned.state)
    }

    /// Whether the context holds every object that it has, and not only those with changes.
    ///
    /// - Precondition: of setting it, the calling thread is in a turn of the context.
    public var retainsRegisteredObjects: Bool {
        get { identityMap.retainsObjects }
        set {
            requireTurn("retainsRegisteredObjects")
            identityMap.retainsObjects = newValue
        }
    }
}
