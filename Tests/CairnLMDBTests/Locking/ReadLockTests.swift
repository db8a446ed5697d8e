import CairnFiles
import CairnStore
import CairnTestSupport
import CairnThreads
import Foundation
import Testing

@testable import CairnLMDB

/// The lock of readers that may not write LMDB's lock file.
@Suite(.timeLimit(.minutes(1))) struct `The lock of readers that LMDB does not list` {
    @Test func `ends the wait of a cancelled reader while another one waits`() async throws {
        let fixture = try LMDBFixture()
        try fixture.open().close()
        let path = fixture.file.path
        let locks = try LMDBLocks(
            path: path, of: try FileIdentity(at: path), at: fixture.location)
        let save = open(path, O_RDWR)
        try #require(save >= 0 && flock(save, LOCK_EX | LOCK_NB) == 0)
        let executor = TurnExecutor()
        let readers = (0..<2).map { _ in
            Task(executorPreference: executor) {
                try locks.takeReadLock(waitingAtMost: .seconds(50))
            }
        }
        while executor.load.waiting < 2 { await Task.yield() }

        readers[1].cancel()
        let cancelled = try await readers[1].value
        close(save)
        let other = try await readers[0].value
        locks.releaseReadLock()

        #expect(cancelled == .cancelled)
        #expect(other == .taken)
    }
}
