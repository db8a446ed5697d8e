/// Cancels the body when the time is over, and returns or throws what the body does.
///
/// Waits for the body's end in any case: so the caller knows whether a save was done. A wait of Cairn
/// ends when its task is cancelled.
///
/// - Throws: what the body throws; after the time that is `CancellationError`, or a `GraphError` that
///   says what was cancelled.
func withDeadline<Answer: Sendable>(
    after time: Duration, _ body: @escaping @Sendable () async throws -> Answer
) async throws -> Answer {
    try await withThrowingTaskGroup(of: Answer?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try? await Task.sleep(for: time)
            return nil
        }
        var answer: Answer?
        while let ended = try await group.next() {
            answer = ended ?? answer
            group.cancelAll()
        }
        guard let answer else { throw CancellationError() }
        return answer
    }
}
