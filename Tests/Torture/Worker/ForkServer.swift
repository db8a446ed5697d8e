import Cairn
import Foundation
import TortureShim

/// A process that forks a copy of itself for each assignment.
///
/// Forking takes a millisecond, and starting a new program takes a hundred times as long. The copies are
/// fresh as far as stores are concerned, because this process opens none.
enum ForkServer {
    /// If a trial takes longer, it hangs.
    private static let secondsPerAssignment: UInt32 = 120

    /// Runs assignments from standard input until it ends.
    static func run() throws {
        try warmUp()
        while let line = Conversation.hear() {
            // The line was meant for a process that had already ended.
            if line.isEmpty { continue }
            // In a fork of a process with several threads, locks held by the other threads would stay locked.
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            guard threads.count == 1 else {
                throw HarnessFailure("a server that copies itself has \(threads.count) threads")
            }
            let child = torture_fork()
            guard child >= 0 else { throw HarnessFailure("fork: errno \(errno)") }
            if child == 0 { performOnNewThread(line) }
            Conversation.say("process \(child)")
            wait(for: child)
        }
    }

    /// Performs work once that every fork would repeat: compiles models, and looks up types and functions.
    /// Uses an in-memory store, so that no file engine is used before the fork.
    private static func warmUp() throws {
        for workload in Workloads.all {
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try workload.model())
            try coordinator.addPersistentStore(ofType: .inMemory)
            try coordinator.removeAll()
        }
        _ = MigrationChange.compiled
        _ = Bank.compiled
    }

    /// The only thread of a fork has a different number, but Swift's `Mutex` keeps using the number that it
    /// cached for the thread. Waiting for the mutex would then end the process.
    private static func performOnNewThread(_ line: String) -> Never {
        var thread = pthread_t()
        let text = Unmanaged.passRetained(line as NSString)
        let failure = pthread_create(
            &thread, nil,
            { text in
                if let text {
                    ForkServer.perform(
                        Unmanaged<NSString>.fromOpaque(text).takeRetainedValue() as String)
                }
                _exit(1)
            }, text.toOpaque())
        if failure == 0 { pthread_join(thread, nil) }
        _exit(1)
    }

    private static func perform(_ line: String) -> Never {
        alarm(secondsPerAssignment)
        signal(SIGXFSZ, SIG_IGN)
        do {
            try Assignment(line: line).run()
        } catch {
            Conversation.say("threw \(error)")
            _exit(1)
        }
        // Not exit(): nothing may clean up a store that was left open.
        _exit(0)
    }

    private static func wait(for child: pid_t) {
        while true {
            var status: Int32 = 0
            guard waitpid(child, &status, WUNTRACED) == child else { continue }
            // Decodes the status like the macros in <sys/wait.h>.
            if status & 0xff == 0x7f {
                Conversation.say("stopped")
            } else {
                let signal = status & 0x7f
                Conversation.say(
                    signal == 0 ? "ended code \(status >> 8 & 0xff)" : "ended signal \(signal)")
                return
            }
        }
    }
}
