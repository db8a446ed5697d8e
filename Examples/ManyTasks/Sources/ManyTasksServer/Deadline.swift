/// Runs the body, and cancels it when the time is up.
///
/// Waits for the body to end in any case, so that the caller knows whether a save was done. Waits in Cairn
/// end when their task is cancelled.
///
/// - Throws: The error that the body throws. After the time is up, this is `CancellationError`, or a
///   `GraphError` that names the cancelled operation.
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
