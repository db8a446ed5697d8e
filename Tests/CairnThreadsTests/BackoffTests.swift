import CairnThreads
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Pauses between attempts` {
    @Test func `end after their maximum number`() {
        var backoff = Backoff(pauses: [.zero, .milliseconds(1), .zero])

        let outcomes = (0..<5).map { _ in backoff.pause() }

        #expect(outcomes == [.passed, .passed, .passed, .exhausted, .exhausted])
    }

    @Test func `are four by default`() {
        var backoff = Backoff()
        var count = 0

        while backoff.pause() == .passed { count += 1 }

        #expect(count == 4)
    }

    @Test func `end when the waiting task is cancelled`() async {
        let task = Task.detached {
            withUnsafeCurrentTask { $0?.cancel() }
            var backoff = Backoff(pauses: [.seconds(3600)])
            return backoff.pause()
        }

        #expect(await task.value == .cancelled)
    }
}
