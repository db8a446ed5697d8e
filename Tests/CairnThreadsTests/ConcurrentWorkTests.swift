import CairnThreads
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Concurrent work` {
    private let executor = TurnExecutor(limits: ThreadLimits(running: 1, total: 1))

    private struct Failure: Error {}

    @Test func `is done by a thread of the executor`() throws {
        let hasBegun = DispatchSemaphore(value: 0)
        let work = ConcurrentWork(on: executor) { [executor] () throws(Failure) in
            hasBegun.signal()
            return executor.isCurrent
        }
        hasBegun.wait()

        #expect(try work.result(cancellable: false))
    }

    @Test func `is done by the thread that needs the result if no other one is free`() throws {
        let blocker = Blocker(executor)
        let work = ConcurrentWork(on: executor) { [executor] () throws(Failure) in
            executor.isCurrent
        }

        let isOther = try work.result(cancellable: false)
        blocker.end()

        #expect(!isOther)
    }

    @Test(arguments: [false, true])
    func `throws what its body throws`(isDoneHere: Bool) {
        let blocker = isDoneHere ? Blocker(executor) : nil
        let work = ConcurrentWork(on: executor) { () throws(Failure) -> Int in throw Failure() }

        #expect(throws: Failure.self) { try work.result(cancellable: false) }
        blocker?.end()
    }

    @Test func `is never begun after it was ended`() async {
        let hasRun = Atomic(false)
        let blocker = Blocker(executor)
        let work = ConcurrentWork(on: executor) { () throws(Failure) in
            hasRun.store(true, ordering: .relaxed)
        }

        work.end()
        blocker.end()
        // Waits until after the work that is queued for the single thread.
        await Task(executorPreference: executor) {}.value

        let ran = hasRun.load(ordering: .relaxed)
        #expect(!ran)
    }

    @Test func `is cancelled and awaited if it is ended after it began`() {
        let hasBegun = DispatchSemaphore(value: 0)
        let hasReturned = Atomic(false)
        let work = ConcurrentWork(on: executor) { () throws(Failure) in
            hasBegun.signal()
            while !Task.isCancelled { usleep(100) }
            usleep(10_000)
            hasReturned.store(true, ordering: .relaxed)
        }
        hasBegun.wait()

        work.end()

        let returned = hasReturned.load(ordering: .relaxed)
        #expect(returned)
    }

    @Test func `is cancelled with the task that waits for it`() async {
        let hasBegun = DispatchSemaphore(value: 0)
        let isCancelled = await Task { [executor] in
            let work = ConcurrentWork(on: executor) { () throws(Failure) in
                hasBegun.signal()
                while !Task.isCancelled { usleep(100) }
                return Task.isCancelled
            }
            hasBegun.wait()
            withUnsafeCurrentTask { $0?.cancel() }
            return try? work.result(cancellable: true)
        }.value

        #expect(isCancelled == true)
    }

    @Test func `sees the task locals of its caller`() throws {
        let hasBegun = DispatchSemaphore(value: 0)
        let work = Local.$number.withValue(7) {
            let work = ConcurrentWork(on: executor) { () throws(Failure) in
                hasBegun.signal()
                return Local.number
            }
            hasBegun.wait()
            return work
        }

        #expect(try work.result(cancellable: false) == 7)
    }

    private enum Local {
        @TaskLocal static var number = 0
    }
}

/// Work that occupies a thread of an executor until it is ended.
struct Blocker {
    private let mayEnd = DispatchSemaphore(value: 0)

    init(_ executor: TurnExecutor) {
        let hasBegun = DispatchSemaphore(value: 0)
        Task(executorPreference: executor) { [mayEnd] in
            Self.wait(hasBegun, mayEnd)
        }
        hasBegun.wait()
    }

    private static func wait(_ hasBegun: DispatchSemaphore, _ mayEnd: DispatchSemaphore) {
        hasBegun.signal()
        mayEnd.wait()
    }

    func end() { mayEnd.signal() }
}
