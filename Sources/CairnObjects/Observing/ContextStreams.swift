import CairnStack
import Synchronization

extension ContextHandle {
    /// A stream of the context's events. Each element contains the coalesced changes of one event.
    ///
    /// Objects that have not been saved have temporary IDs in these elements. The stream ends when the
    /// context is deallocated. No element is lost; elements wait in a buffer until they are consumed. Each
    /// consumer needs a stream of its own.
    ///
    /// ```swift
    /// for await changes in handle.changes {
    ///     index.update(changes.inserted.union(changes.updated))
    /// }
    /// ```
    public var changes: AsyncStream<ObjectIDChanges> { streams.changes.stream() }

    /// A stream of the context's successful saves, like ``changes``. Each element contains what one save
    /// wrote, by permanent ID.
    public var saves: AsyncStream<ObjectIDChanges> { streams.saves.stream() }

    /// A stream of the changes that were saved by others and merged into the context, like ``changes``.
    public var merges: AsyncStream<ObjectIDChanges> { streams.merges.stream() }
}

/// The streams of one context.
final class ContextStreams: Sendable {
    let changes = Broadcast<ObjectIDChanges>()
    let saves = Broadcast<ObjectIDChanges>()
    let merges = Broadcast<ObjectIDChanges>()
}

/// Sends elements to all streams that were created from it.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var nextNumber = 0
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
    }

    private let state = Mutex(State())
    /// The number of streams. It is checked first, so that no element is created and no lock is taken if
    /// there are no streams.
    private let listenerCount = Atomic<Int>(0)

    package init() {}

    /// Creates an element and sends it to all streams. Does nothing if there are no streams.
    package func send(_ make: () -> Element) {
        guard listenerCount.load(ordering: .relaxed) > 0 else { return }
        let element = make()
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(element) }
    }

    /// Returns a stream of the elements that are sent from now on.
    package func stream() -> AsyncStream<Element> {
        let (elements, listener) = AsyncStream.makeStream(of: Element.self)
        let number = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = listener
            return state.nextNumber
        }
        listenerCount.add(1, ordering: .relaxed)
        listener.onTermination = { [weak self] _ in self?.remove(number) }
        return elements
    }

    private func remove(_ number: Int) {
        let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
        if listener != nil { listenerCount.subtract(1, ordering: .relaxed) }
    }

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }
}
