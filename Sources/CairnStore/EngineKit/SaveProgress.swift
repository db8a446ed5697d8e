import CairnModel

/// Where a save stands between its beginning and its end. Refuses calls that come out of turn, as
/// ``SaveTransaction`` promises.
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
    // Engines ask at each step of a save, so the answers are inlined in them.
    @usableFromInline enum Stage {
        case begun
        case prepared
        /// A step has begun and was not finished: nothing can be committed.
        case failed
        case ended
    }

    private let type: StoreType
    private let location: StoreLocation
    @usableFromInline var stage = Stage.begun
    /// What `prepare` made, while the stage is `prepared`.
    @usableFromInline var prepared: Prepared?

    /// Begins a save.
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

    /// Checks that the save has not ended.
    ///
    /// - Parameter operation: names the call in the error, such as “reserve keys”.
    /// - Throws: `.engineFailure`.
    @inlinable public func requireRunning(_ operation: String) throws(StoreError) {
        if hasEnded { throw misuse(operation, "the save has ended") }
    }

    /// Begins the one `prepare` of the save. Until ``finishPreparing(_:)``, the save can only be rolled
    /// back.
    ///
    /// - Throws: `.engineFailure` if `prepare` was called before; what that call prepared can still be
    ///   committed.
    @inlinable public mutating func beginPreparing() throws(StoreError) {
        try requireRunning("prepare")
        guard stage == .begun else { throw misuse("prepare", "it was prepared before") }
        stage = .failed
    }

    /// Keeps what `prepare` made, for the commit.
    @inlinable public mutating func finishPreparing(_ prepared: Prepared) {
        self.prepared = prepared
        stage = .prepared
    }

    /// Begins the commit. From now on the save can only be rolled back.
    ///
    /// - Returns: what was prepared.
    /// - Throws: `.engineFailure` if nothing is prepared.
    @inlinable public mutating func beginCommit() throws(StoreError) -> Prepared {
        try requireRunning("commit")
        guard stage == .prepared, let prepared else {
            throw misuse("commit", "nothing is prepared")
        }
        stage = .failed
        self.prepared = nil
        return prepared
    }

    /// Ends the save.
    ///
    /// - Returns: `false` if it had ended before.
    @inlinable public mutating func end() -> Bool {
        if hasEnded { return false }
        stage = .ended
        prepared = nil
        return true
    }

    @usableFromInline func misuse(_ operation: String, _ message: String) -> StoreError {
        .engineFailure(
            EngineFailure(
                type: type, location: location, operation: operation, code: 0, message: message))
    }
}
