import Synchronization

/// What a context tells, as a sequence of `Sendable` elements.
///
/// Begins at the moment at which it was asked for, and ends with its context or with the task that
/// waits for an element. Elements wait in an unbounded buffer until they are taken: none is lost,
/// none is merged with another one, and the context never waits. A consumer that stops taking elements
/// should release the stream. A stream is for one consumer: each asks for a stream of its own.
///
/// ```swift
/// for await changes in handle.saves {
///     index.update(changes.inserted.union(changes.updated))
/// }
/// ```
public struct ContextStream<Element: Sendable>: AsyncSequence, Sendable {
    let elements: AsyncStream<Element>

    /// Takes one element after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var elements: AsyncStream<Element>.AsyncIterator

        /// Returns the next element, or `nil` when the context has gone or the task was cancelled.
        public mutating func next() async -> Element? { await elements.next() }

        /// Returns the next element, or `nil` when the context has gone or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await elements.next(isolation: actor)
        }
    }

    /// Begins to take elements, from the oldest that is waiting.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(elements: elements.makeAsyncIterator())
    }
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
