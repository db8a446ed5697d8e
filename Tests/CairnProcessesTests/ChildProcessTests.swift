import CairnProcesses
import Foundation
import Testing

@Suite struct `Another process` {
    private func shell(_ script: String) throws -> ChildProcess {
        try ChildProcess("sh", ["-c", script], errorOutput: .kept)
    }

    @Test func `reports its exit code, or the signal that ended it`() throws {
        #expect(try shell("exit 7").end() == .code(7))
        #expect(try shell("kill -TERM $$").end() == .signal(SIGTERM))
    }

    @Test func `receives signals even if the thread that starts it blocks them`() throws {
        var all = sigset_t()
        sigfillset(&all)
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        #expect(try shell("kill -ALRM $$").end() == .signal(SIGALRM))
    }

    @Test func `is read to its end, however much it writes`() throws {
        let process = try shell("head -c 300000 /dev/zero; echo problem >&2; exit 3")

        #expect(try process.output().count == 300_000)
        #expect(process.errorText == "problem\n")
        #expect(try process.end() == .code(3))
    }

    @Test func `answers line by line, and ends with its input`() throws {
        let process = try ChildProcess("cat", [])

        try process.send(Array("one\ntwo\n".utf8))

        #expect(try process.nextLine() == Array("one".utf8))
        #expect(try process.nextLine() == Array("two".utf8))
        #expect(process.currentEnd == nil)
    }

    @Test func `that is silent for too long is killed, and reported as killed`() throws {
        let process = try shell("sleep 60")

        #expect(throws: ChildProcess.Failure.self) { try process.nextLine(within: 0.05) }
        #expect(process.currentEnd == .signal(SIGKILL))
    }

    @Test func `that does not end is killed, and reported as killed`() throws {
        let process = try ChildProcess("cat", [])

        #expect(throws: ChildProcess.Failure.self) { try process.end(within: 0.05) }
        #expect(process.currentEnd == .signal(SIGKILL))
    }

    @Test func `that no longer reads refuses input without ending the sender`() throws {
        let process = try shell("exit 0")
        _ = try process.end()

        #expect(throws: ChildProcess.Failure.self) { try process.send([1]) }
    }

    @Test func `that does not exist is named in the error`() throws {
        let error = #expect(throws: ChildProcess.Failure.self) {
            _ = try ChildProcess("/nowhere/program", [])
        }

        #expect(error?.description.contains("/nowhere/program could not be started") == true)
    }

    /// Foundation's `Process` would also wait for processes that the child started.
    @Test func `has ended even if a process that it started lives on`() throws {
        let process = try shell("sleep 60 >/dev/null 2>&1 & echo $!; exit 5")

        let other = try #require(
            try process.nextLine().flatMap { Int32(String(decoding: $0, as: UTF8.self)) })
        defer { kill(other, SIGKILL) }

        #expect(try process.end() == .code(5))
    }

    @Test func `holds none of this program's files`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
        let descriptor = open(file.path, O_RDWR | O_CREAT, 0o600)
        defer {
            close(descriptor)
            unlink(file.path)
        }

        let process = try shell("ls /dev/fd/\(descriptor)")
        let listed = try process.output()

        #expect(descriptor > STDERR_FILENO)
        #expect(listed.isEmpty)
        #expect(try process.end() != .code(0))
    }

    @Test func `is killed when its value is released`() throws {
        var process: ChildProcess? = try shell("echo $$; exec sleep 60")
        let id = try #require(
            try process?.nextLine().flatMap { Int32(String(decoding: $0, as: UTF8.self)) })

        process = nil

        #expect(kill(id, 0) == -1 && errno == ESRCH)
    }
}
