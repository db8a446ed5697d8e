/// A task of the main actor that wakes up every millisecond and records how late it is.
@MainActor final class MainActorTicker {
    private var lateness: [Duration] = []
    private var isEnding = false
    private var task: Task<Void, Never>?

    /// Starts the ticks, and returns after the first one.
    ///
    /// - Throws: `CancellationError`.
    func begin() async throws {
        task = Task { await tick() }
        try await wait(forTicks: 1)
    }

    /// Waits for `count` further ticks.
    ///
    /// - Throws: `CancellationError`.
    func wait(forTicks count: Int) async throws {
        let end = lateness.count + count
        while lateness.count < end { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Stops the ticks, and returns how late each one was.
    func end() async -> [Duration] {
        isEnding = true
        await task?.value
        return lateness
    }

    private func tick() async {
        repeat {
            let due = ContinuousClock.now + .milliseconds(1)
            try? await Task.sleep(until: due, clock: .continuous)
            lateness.append(due.duration(to: .now))
        } while !isEnding
    }
}
