import CairnFiles
import CairnTestSupport
import Foundation
import Synchronization
import Testing

@testable import CairnStore

@Suite struct `A reserved file` {
    @Test func `is entered by no one before its descriptor is closed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store").path
        try Data("store".utf8).write(to: folder.file("store"))
        let registry = OpenFileRegistry.shared
        let entry = try #require(try registry.reserve(path))
        let isClosed = Atomic(false)
        let wasClosed = Mutex<Bool?>(nil)
        let (started, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            started.signal()
            while true {
                guard let other = try? registry.enter(path) else { continue }
                wasClosed.withLock { $0 = isClosed.load(ordering: .relaxed) }
                registry.leave(other)
                break
            }
            ended.signal()
        }
        started.wait()

        registry.leave(entry) {
            for _ in 0..<1000 { sched_yield() }
            isClosed.store(true, ordering: .relaxed)
        }
        ended.wait()

        #expect(wasClosed.withLock(\.self) == true)
    }
}
