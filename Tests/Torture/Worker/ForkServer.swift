import Cairn
import Foundation
import TortureShim

/// A process that starts another one, a copy of itself, for each assignment.
///
/// A copy takes a millisecond, and a new program a hundred times as long. The copies are new in
/// every respect that concerns stores: this process opens none.
enum ForkServer {
    /// A trial that takes longer hangs.
    private static let secondsPerAssignment: UInt32 = 120

    /// Runs assignments from the standard input until it ends.
    static func run() throws {
        try warmUp()
        while let line = Conversation.hear() {
            // Meant for a process that had ended by then.
            if line.isEmpty { continue }
            // In a copy of a process with several threads, locks of the others stay locked.
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

    /// Does once what every copy would do again: compiles models, and looks up types and functions.
    /// The store is in memory, so that no engine that keeps files is used before the copy.
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

    /// The only thread of a copy has another number than before, and Swift's `Mutex` goes on to use
    /// the one that it has noted for the thread: a wait for the mutex then ends the process.
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
        // Not exit(): a store that was left open must not be tidied up by anything.
        _exit(0)
    }

    private static func wait(for child: pid_t) {
        while true {
            var status: Int32 = 0
            guard waitpid(child, &status, WUNTRACED) == child else { continue }
            // As the macros of <sys/wait.h> take it apart.
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
