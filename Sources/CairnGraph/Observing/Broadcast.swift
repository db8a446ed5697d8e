import Synchronization

/// Sends elements to every stream that was made of it.
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var nextNumber = 0
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
    }

    private let state = Mutex(State())
    /// So that nothing is made, and no lock is taken, if nobody listens.
    private let listenerCount = Atomic<Int>(0)

    /// If anybody listens, makes an element and sends it to all listeners.
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
