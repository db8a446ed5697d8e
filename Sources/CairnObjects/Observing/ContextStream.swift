import CairnStack
import Synchronization

/// A sequence of `Sendable` elements that describe what happens in a context.
///
/// A stream begins when it is requested. It ends when its context is deallocated or when the task that
/// waits for an element is cancelled. Elements wait in an unbounded buffer until they are consumed: no
/// element is lost or merged with another one, and the context never waits. A consumer that stops
/// consuming elements should release the stream. Each consumer needs a stream of its own.
///
/// ```swift
/// for await changes in handle.saves {
///     index.update(changes.inserted.union(changes.updated))
/// }
/// ```
public struct ContextStream<Element: Sendable>: AsyncSequence, Sendable {
    let elements: AsyncStream<Element>

    /// An iterator over the elements of a stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var elements: AsyncStream<Element>.AsyncIterator

        /// Returns the next element, or `nil` if the context was deallocated or the task was cancelled.
        public mutating func next() async -> Element? { await elements.next() }

        /// Returns the next element, or `nil` if the context was deallocated or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await elements.next(isolation: actor)
        }
    }

    /// Returns an iterator that begins with the oldest element that is waiting.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(elements: elements.makeAsyncIterator())
    }
}

extension ContextHandle {
    /// A stream of the context's events. Each element contains the coalesced changes of one event.
    ///
    /// Objects that have not been saved have temporary IDs in these elements.
    public var changes: ContextStream<ObjectIDChanges> { streams.changes.stream() }

    /// A stream of the context's successful saves. Each element contains what one save wrote, by
    /// permanent ID.
    public var saves: ContextStream<ObjectIDChanges> { streams.saves.stream() }

    /// A stream of the changes that were saved by others and merged into the context.
    public var merges: ContextStream<ObjectIDChanges> { streams.merges.stream() }
}
