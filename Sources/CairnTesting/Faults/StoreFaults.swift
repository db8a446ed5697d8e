import Cairn
import CairnStore
import Synchronization

/// An object with which a test makes calls to a store fail, holds them, and counts them.
///
/// Pass this object to a container, or pass its ``options`` to a store whose engine is wrapped by
/// `FaultInjectingStore`. The test must keep a reference to it:
///
/// ```swift
/// let faults = StoreFaults()
/// let container = try await PersistentContainer.inMemory(for: Author.self, faults: faults)
/// faults.fail(.commit) { .spaceMissing($0, needed: nil, available: 0) }
/// ```
///
/// This object affects only the stores that are opened with it, which keep it alive. If such a store is a
/// file, the object also affects the handles that the store's coordinator opens on the same file, while the
/// store is open, to finish an interrupted save. This type can be used from any thread.
public final class StoreFaults: Sendable {
    /// An action for certain calls of an operation.
    private struct Rule {
        enum Action {
            case fail(@Sendable (InjectedFault) -> StoreError)
            case hold(HeldCall.Gate)
            case run(Moment, @Sendable () -> Void)
        }

        let operation: StoreOperation
        /// The number of calls that were made before the rule was added.
        let callsBefore: Int
        /// Returns whether the rule applies to a call. The first call after the rule was added has number 1.
        let covers: @Sendable (Int) -> Bool
        let action: Action

        func applies(to operation: StoreOperation, number: Int) -> Bool {
            operation == self.operation && covers(number - callsBefore)
        }
    }

    private struct State {
        /// The rules, in the order in which they were added.
        var rules: [Rule] = []
        var counts: [StoreOperation: Int] = [:]
        /// The calls in order, the number of rows, and the names of saves, since ``StoreFaults/resetCallCounts()`` was last called.
        var calls: [StoreOperation] = []
        var rowCount = 0
        var saveNames: [SaveID?] = []
        /// The counts when ``StoreFaults/resetCallCounts()`` was last called.
        var countsAtReset: [StoreOperation: Int] = [:]
        /// The files that are open. A file occurs once for each time that it was opened.
        var openFiles: [StoreLocation] = []
    }

    /// A weak reference.
    private struct Entry {
        weak var faults: StoreFaults?
    }

    /// The objects that exist. The keys are the numbers in options.
    private static let known = Mutex<[Int64: Entry]>([:])
    private static let lastNumber = Atomic<Int64>(0)

    private let number: Int64
    private let state = Mutex(State())

    /// Creates an object that counts calls and lets all calls pass.
    public init() {
        number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        Self.known.withLock { $0[number] = Entry(faults: self) }
    }

    deinit {
        Self.known.withLock { $0[number] = nil }
    }

    /// The option that connects a store with this object. The engine of the store must be wrapped by
    /// `FaultInjectingStore`: any other engine refuses the option.
    ///
    /// This object must exist when the store is opened. Otherwise, opening throws `.invalidOption`.
    public var options: StoreOptions { [.faults: .integer(number)] }

    // MARK: Failing

    /// Makes calls of an operation fail.
    ///
    /// ```swift
    /// faults.fail(.commit)                  // the next call
    /// faults.fail(.prepare, calls: 1...3)   // the next three calls
    /// faults.fail(.row, calls: 2...)        // all calls but the next, until `stopFailing()`
    /// ```
    ///
    /// If several calls of this method cover the same store call, the most recent one decides. The
    /// coordinator repeats some calls: a save whose failure has ``CairnStore/EngineFailure/isTransient`` set,
    /// and, once, a read from a snapshot that it had kept, if the failure is `.engineFailure`. Let all calls
    /// fail if a test should not depend on that.
    ///
    /// - Parameters:
    ///   - operation: The operation whose calls fail.
    ///   - calls: The numbers of the calls that fail. The first store call after this method was called has
    ///     number 1.
    ///   - error: The error that the calls throw. `nil` means an `.engineFailure` that names the operation,
    ///     or `.commitOutcomeUnknown` for ``StoreOperation/commitAnswer``.
    public func fail(
        _ operation: StoreOperation, calls: some RangeExpression<Int> & Sendable = 1...1,
        with error: StoreError? = nil
    ) {
        add(operation, { calls.contains($0) }, .fail { error ?? $0.error })
    }

    /// Makes calls of an operation fail with an error that names the store.
    ///
    /// ```swift
    /// faults.fail(.beginSave, calls: 1...) { .busy($0, waited: .seconds(5)) }
    /// ```
    ///
    /// - Parameters:
    ///   - operation: The operation whose calls fail.
    ///   - calls: The same as for ``fail(_:calls:with:)``.
    ///   - error: Returns the error that a call throws, given the location of its store.
    public func fail(
        _ operation: StoreOperation, calls: some RangeExpression<Int> & Sendable = 1...1,
        with error: @escaping @Sendable (StoreLocation) -> StoreError
    ) {
        add(operation, { calls.contains($0) }, .fail { error($0.location) })
    }

    /// Lets the calls of an operation reach the store again. Calls that are held stay held.
    ///
    /// - Parameter operation: The operation, or `nil` for all operations.
    public func stopFailing(_ operation: StoreOperation? = nil) {
        state.withLock { state in
            state.rules.removeAll { rule in
                guard case .fail = rule.action else { return false }
                return operation == nil || rule.operation == operation
            }
        }
    }

    // MARK: Holding

    /// Holds a call of an operation until the test releases it.
    ///
    /// ```swift
    /// let held = faults.hold(.commit)
    /// async let saving: Void = container.perform { context in
    ///     try FixtureBuilder(context).make(Book.self)
    ///     try context.save()
    /// }
    /// try await held.reached()
    /// // The save is in the middle of its commit.
    /// held.release()
    /// try await saving
    /// ```
    ///
    /// Keep the result: the call is released when the result is deallocated. The call blocks its own thread.
    /// In a turn of ``CairnObjects/ContextHandle/perform(isolation:_:)``, this is a thread of the coordinator's
    /// executor, and another thread takes over the executor's work. `performAndWait` in a task, and a save on
    /// the main actor, block the calling thread.
    ///
    /// - Parameters:
    ///   - operation: The operation of which a call is held.
    ///   - call: The number of the call. The first store call after this method was called has number 1.
    ///   - limit: The time after which the call fails with an `.engineFailure` if it is not released.
    public func hold(
        _ operation: StoreOperation, call: Int = 1, for limit: Duration = .seconds(10)
    ) -> HeldCall {
        let held = HeldCall(operation, limit: limit)
        add(operation, { $0 == call }, .hold(held.gate))
        return held
    }

    // MARK: Counting

    /// Returns the number of calls of an operation, including failed calls, since this object was created or
    /// ``resetCallCounts()`` was last called.
    public func callCount(of operation: StoreOperation) -> Int {
        state.withLock {
            $0.counts[operation, default: 0] - $0.countsAtReset[operation, default: 0]
        }
    }

    /// The numbers of calls, as ``callCount(of:)`` returns them. Operations without calls are left out.
    package var callCounts: [StoreOperation: Int] {
        state.withLock { state in
            state.counts.merging(state.countsAtReset) { $0 - $1 }.filter { $0.value > 0 }
        }
    }

    /// Resets the counts to 0. Does not change which calls fail or are held.
    public func resetCallCounts() {
        state.withLock { state in
            state.countsAtReset = state.counts
            (state.calls, state.rowCount, state.saveNames) = ([], 0, [])
        }
    }

    /// The operations of the calls that ``callCounts`` counts, in order.
    package var calls: [StoreOperation] { state.withLock { $0.calls } }

    /// The number of rows and IDs that fetches and reads of rows returned, since this object was created or
    /// ``resetCallCounts()`` was last called.
    package var rowCount: Int { state.withLock { $0.rowCount } }

    /// The names of the saves that were prepared, in order. `nil` is a save without a name.
    package var saveNames: [SaveID?] { state.withLock { $0.saveNames } }

    // MARK: Observing

    /// A moment of a call.
    package enum Moment: Sendable {
        case beforeCall, afterSuccess
    }

    /// Runs a closure at calls of an operation, on the thread of the call.
    ///
    /// - Parameters:
    ///   - moment: `.afterSuccess` is possible for ``StoreOperation/snapshot`` and
    ///     ``StoreOperation/prepare``. The caller gets the result after the closure has returned.
    ///   - calls: The same as for ``fail(_:calls:with:)``.
    package func observe(
        _ operation: StoreOperation, _ moment: Moment = .beforeCall,
        calls: some RangeExpression<Int> & Sendable = 1...,
        _ body: @escaping @Sendable () -> Void
    ) {
        add(operation, { calls.contains($0) }, .run(moment, body))
    }

    // MARK: Interface for the store

    /// Returns the object for a store that is being opened: the object that the options name, or that of an
    /// open store with the same file. Returns `nil` if there is no such object.
    ///
    /// - Throws: `.invalidOption` if the object that the options name does not exist.
    static func find(for request: OpenRequest) throws(StoreError) -> StoreFaults? {
        guard let option = request.options[.faults] else { return findOpen(request.location) }
        guard case .integer(let number) = option,
            let faults = known.withLock({ $0[number]?.faults })
        else {
            throw .invalidOption(
                .faults,
                detail:
                    "the StoreFaults object no longer exists. Keep a reference to it while stores are"
                    + " opened")
        }
        return faults
    }

    private static func findOpen(_ location: StoreLocation) -> StoreFaults? {
        guard location.fileURL != nil else { return nil }
        let all = known.withLock { $0.sorted { $0.key < $1.key }.compactMap(\.value.faults) }
        let resolved = location.resolvedForComparison
        return all.first { faults in faults.state.withLock { $0.openFiles.contains(resolved) } }
    }

    /// Records that a store was opened.
    func noteOpened(_ location: StoreLocation) {
        guard location.fileURL != nil else { return }
        let resolved = location.resolvedForComparison
        state.withLock { $0.openFiles.append(resolved) }
    }

    /// Records that a store was closed.
    func noteClosed(_ location: StoreLocation) {
        let resolved = location.resolvedForComparison
        state.withLock { state in
            guard let index = state.openFiles.firstIndex(of: resolved) else { return }
            state.openFiles.remove(at: index)
        }
    }

    /// Counts a call, waits if it is held, and throws if it should fail.
    ///
    /// - Throws: The error of the rule that applies; the errors of a held call.
    func check(_ call: InjectedFault) throws(StoreError) {
        let actions = state.withLock { state in
            let number = state.counts[call.operation, default: 0] + 1
            state.counts[call.operation] = number
            state.calls.append(call.operation)
            return state.rules.filter { $0.applies(to: call.operation, number: number) }
                .map(\.action)
        }
        for case .run(.beforeCall, let body) in actions { body() }
        for case .hold(let gate) in actions { try gate.wait(call) }
        for case .fail(let error) in actions.reversed() { throw error(call) }
    }

    /// Runs what a test does after a call. Of simultaneous calls, each counts as the last one that was made.
    func noteSuccess(_ operation: StoreOperation) {
        let actions = state.withLock { state in
            let number = state.counts[operation, default: 0]
            return state.rules.filter { $0.applies(to: operation, number: number) }.map(\.action)
        }
        for case .run(.afterSuccess, let body) in actions { body() }
    }

    func noteSaveName(_ name: SaveID?) { state.withLock { $0.saveNames.append(name) } }

    func noteRows(_ count: Int) { state.withLock { $0.rowCount += count } }

    private func add(
        _ operation: StoreOperation, _ covers: @escaping @Sendable (Int) -> Bool,
        _ action: Rule.Action
    ) {
        state.withLock { state in
            state.rules.append(
                Rule(
                    operation: operation, callsBefore: state.counts[operation, default: 0],
                    covers: covers, action: action))
        }
    }
}

extension StoreOption {
    /// The option that connects a store with a ``StoreFaults`` object. See ``StoreFaults/options``.
    static let faults: StoreOption = "faultsOfTest"
}

/// A call to a store, with the information needed to make it fail.
struct InjectedFault: Sendable {
    let operation: StoreOperation
    let type: StoreType
    let location: StoreLocation

    /// The error that the call throws if the test does not provide an error.
    var error: StoreError {
        let failure = failure("a fault that the test injected")
        return operation == .commitAnswer ? .commitOutcomeUnknown(failure) : .engineFailure(failure)
    }

    func failure(_ message: String) -> EngineFailure {
        EngineFailure(
            type: type, location: location, operation: operation.rawValue, code: 0,
            message: message)
    }
}

/// A check of the calls that are made to one opened store.
struct StoreCalls: Sendable {
    /// The object that controls the calls. `nil` if all calls pass and are not counted.
    let faults: StoreFaults?
    let type: StoreType
    let location: StoreLocation

    /// Counts a call, waits if it is held, and throws if it should fail.
    ///
    /// - Throws: The same errors as ``StoreFaults/check(_:)``.
    func check(_ operation: StoreOperation) throws(StoreError) {
        try faults?.check(InjectedFault(operation: operation, type: type, location: location))
    }
}
