#if os(Linux)
import CairnStore
import Foundation
import StoreFileSupport
import Testing

@Suite struct `Exclusive use of a whole-file store` {
    /// A child process has copies of all descriptors until its program starts, but a lock ends with its owner.
    @Test(arguments: CounterStore.typeNames)
    func `does not wait for a process that is being started`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()
        let child = try StartingProcess(in: counters.folder)
        // The child ends before its folder is removed: otherwise it would wait for ever.
        defer { child.finish() }
        try store.close()

        var hasRun = false
        try counters.engine.withExclusiveUse(of: .file(counters.file)) { hasRun = true }

        #expect(hasRun)
    }

    @Test(arguments: CounterStore.typeNames)
    func `is refused while the store is open`(_ type: String) throws {
        let counters = try CounterStore(type)
        let store = try counters.open()

        let error = #expect(throws: StoreError.self) {
            try counters.engine.withExclusiveUse(of: .file(counters.file)) {}
        }

        guard case .locked? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try store.close()
    }

    @Test(arguments: CounterStore.typeNames)
    func `that has ended does not prevent a store from being opened`(_ type: String) throws {
        let counters = try CounterStore(type)
        try counters.open().close()
        var child: StartingProcess?
        try counters.engine.withExclusiveUse(of: .file(counters.file)) {
            child = try? StartingProcess(in: counters.folder)
        }
        let started = try #require(child)
        defer { started.finish() }

        let store = try counters.open()

        try store.close()
    }
}

/// A child process that has copies of this process's descriptors and waits before it starts its program.
private final class StartingProcess: Sendable {
    private let gate: String

    /// Returns once the child waits.
    init(in folder: URL) throws {
        let sign = folder.appending(path: "sign").path
        let gate = folder.appending(path: "gate").path
        self.gate = gate
        try #require(mkfifo(sign, 0o600) == 0 && mkfifo(gate, 0o600) == 0)
        let reader = open(sign, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        Thread.detachNewThread {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, sign, O_WRONLY, 0)
            // Waits until the pipe is opened for writing.
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, gate, O_RDONLY, 0)
            var id: pid_t = 0
            var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
            if posix_spawn(&id, "/bin/true", &actions, nil, &words, environ) == 0 {
                waitpid(id, nil, 0)
            }
            free(words[0])
            posix_spawn_file_actions_destroy(&actions)
        }
        // Reading from a pipe that has no writer returns 0; otherwise it would block.
        var byte: UInt8 = 0
        while read(reader, &byte, 1) == 0 { usleep(100) }
    }

    /// Lets the child start its program.
    func finish() {
        let descriptor = open(gate, O_WRONLY | O_CLOEXEC)
        if descriptor >= 0 { close(descriptor) }
    }
}
#endif
