import Synchronization

/// What a context tells, as a sequence of `Sendable` elements.
///
/// Begins at the moment at which it was asked for, and ends with its context or with the task that
/// waits for an element. Elements wait in an unbounded buffer until they are taken: none is lost,
/// none is merged with another one, and the context never waits. Who stops taking them lets go of
/// the stream. For one consumer: each asks for a stream of its own.
///
/// ```swift
/// for await changes in handle.saves {
///     index.update(changes.inserted.union(changes.updated))
/// }
/// ```
public struct ContextStream<Element: Sendable>: AsyncSequence, Sendable {
    fileprivate let elements: AsyncStream<Element>

    /// Takes one element after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var elements: AsyncStream<Element>.AsyncIterator

        /// The next element; nil when the context has gone or the task was cancelled.
        public mutating func next() async -> Element? { await elements.next() }

        /// The next element; nil when the context has gone or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await elements.next(isolation: actor)
        }
    }

    /// Begins to take elements, from the oldest that is waiting.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(elements: elements.makeAsyncIterator())
    }
}

/// Sends elements to every stream that was made of it.
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var nextNumber = 0
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
    }

    private let state = Mutex(State())
    /// So that nothing is made, and no lock taken, where nobody listens.
    private let listenerCount = Atomic<Int>(0)

    /// Makes an element, where anybody listens, and sends it to all who do.
    func send(_ make: () -> Element) {
        guard listenerCount.load(ordering: .relaxed) > 0 else { return }
        let element = make()
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(element) }
    }

    /// Returns a stream of the elements from now on.
    func stream() -> ContextStream<Element> {
        let (elements, listener) = AsyncStream.makeStream(of: Element.self)
        let number = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = listener
            return state.nextNumber
        }
        listenerCount.add(1, ordering: .relaxed)
        listener.onTermination = { [weak self] _ in self?.remove(number) }
        return ContextStream(elements: elements)
    }

    private func remove(_ number: Int) {
        let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
        if listener != nil { listenerCount.subtract(1, ordering: .relaxed) }
    }

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }
}

/// What one context sends.
final class ContextStreams: Sendable {
    let changes = Broadcast<ObjectIDChanges>()
    let saves = Broadcast<ObjectIDChanges>()
    let merges = Broadcast<ObjectIDChanges>()
}

extension ContextHandle {
    /// The events of the context: what each changed, coalesced.
    ///
    /// Objects that no store has yet have temporary IDs here.
    public var changes: ContextStream<ObjectIDChanges> { streams.changes.stream() }

    /// The saves of the context that succeeded: what each wrote, by permanent IDs.
    public var saves: ContextStream<ObjectIDChanges> { streams.saves.stream() }

    /// What was merged into the context from the saves of others.
    public var merges: ContextStream<ObjectIDChanges> { streams.merges.stream() }
}
