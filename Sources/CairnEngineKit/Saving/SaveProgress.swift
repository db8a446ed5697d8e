import CairnModel
import CairnStore

/// The progress of one save. Refuses calls that are out of order, as `SaveTransaction` requires.
///
/// ```swift
/// func prepare(_ request: SaveRequest) throws(StoreError) {
///     try progress.beginPreparing()
///     // Check the request and write it.
///     progress.finishPreparing(prepared)
/// }
/// func commit() throws(StoreError) -> SaveOutcome {
///     let prepared = try progress.beginCommit()
///     // Make it durable and visible.
/// }
/// ```
public struct SaveProgress<Prepared> {
    // Engines consult the stage at each step of a save, so the accessors are inlined into them.
    @usableFromInline enum Stage {
        case begun
        case prepared
        /// A step has begun and did not finish, so nothing can be committed.
        case failed
        case ended
    }

    private let type: StoreType
    private let location: StoreLocation
    @usableFromInline var stage = Stage.begun
    /// The result of `prepare`. Set only in the stage `prepared`.
    @usableFromInline var prepared: Prepared?
    /// Whether the last step has begun to prepare a request of a group.
    private var isLastOfGroup = false

    /// Creates the progress of a save that has just begun.
    ///
    /// - Parameters:
    ///   - type: names the engine in errors.
    ///   - location: names the store in errors.
    public init(of type: StoreType, at location: StoreLocation) {
        self.type = type
        self.location = location
    }

    /// Whether the save was committed or rolled back.
    @inlinable public var hasEnded: Bool { stage == .ended }

    /// Checks that the save has not ended yet.
    ///
    /// - Parameter operation: names the call in the error, such as “reserve keys”.
    /// - Throws: `.engineFailure`.
    @inlinable public func requireRunning(_ operation: String) throws(StoreError) {
        if hasEnded { throw misuse(operation, "the save has ended") }
    }

    /// Begins the save's only `prepare`. Until ``finishPreparing(_:)`` is called, the save can only
    /// be rolled back.
    ///
    /// - Throws: `.engineFailure` if `prepare` was called before. What that call prepared can still
    ///   be committed.
    @inlinable public mutating func beginPreparing() throws(StoreError) {
        try requireRunning("prepare")
        guard stage == .begun else { throw misuse("prepare", "the save was already prepared") }
        stage = .failed
    }

    /// Begins to prepare one more request of a group. Until ``finishPreparing(_:)`` or
    /// ``goBack(to:)`` is called, the save can only be rolled back.
    ///
    /// - Returns: what was prepared before, or `nil` if nothing was.
    /// - Throws: `.engineFailure` if an earlier request has left the save unfit for a commit.
    public mutating func beginPreparingNext() throws(StoreError) -> Prepared? {
        try requireRunning("prepare")
        if stage == .failed { throw misuse("prepare", "an earlier request could not be undone") }
        stage = .failed
        isLastOfGroup = true
        return prepared
    }

    /// Returns what was prepared, up to the request of a group that the last step has prepared.
    ///
    /// - Throws: `.engineFailure` if the last step was another one, so that there is nothing to discard.
    package func requireLastOfGroup() throws(StoreError) -> Prepared {
        let prepared = try requirePrepared("discard a request")
        guard isLastOfGroup else {
            throw misuse("discard a request", "no request was prepared before")
        }
        return prepared
    }

    /// Goes back to what was prepared before a request that was discarded.
    ///
    /// - Parameter before: what was prepared before it, or `nil` if nothing was.
    public mutating func goBack(to before: Prepared?) {
        prepared = before
        isLastOfGroup = false
        stage = before == nil ? .begun : .prepared
    }

    /// Stores the result of `prepare` for the commit.
    @inlinable public mutating func finishPreparing(_ prepared: Prepared) {
        self.prepared = prepared
        stage = .prepared
    }

    /// Returns the result of `prepare`.
    ///
    /// - Parameter operation: names the call in the error.
    /// - Throws: `.engineFailure` if nothing was prepared.
    @inlinable public func requirePrepared(_ operation: String) throws(StoreError) -> Prepared {
        try requireRunning(operation)
        guard stage == .prepared, let prepared else {
            throw misuse(operation, "the save was not prepared")
        }
        return prepared
    }

    /// Begins the commit. From now on, the save can only be rolled back.
    ///
    /// - Returns: the result of `prepare`.
    /// - Throws: `.engineFailure` if nothing was prepared.
    @inlinable public mutating func beginCommit() throws(StoreError) -> Prepared {
        let prepared = try requirePrepared("commit")
        stage = .failed
        self.prepared = nil
        return prepared
    }

    /// Ends the save.
    ///
    /// - Returns: `false` if the save had already ended.
    @inlinable public mutating func end() -> Bool {
        if hasEnded { return false }
        stage = .ended
        prepared = nil
        return true
    }

    /// Returns the error for a call that is out of order.
    ///
    /// - Parameters:
    ///   - operation: names the call.
    ///   - message: says what is wrong with it.
    public func misuse(_ operation: String, _ message: String) -> StoreError {
        .engineFailure(
            EngineFailure(
                type: type, location: location, operation: operation, code: 0, message: message))
    }
}
