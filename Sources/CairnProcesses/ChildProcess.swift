import Foundation

/// A program that runs as another process, with access to its standard streams and its exit status.
///
/// Foundation's `Process` learns of the end of a process through a socket that processes started at
/// the same moment may inherit. Waiting for one process may then take until another one ends
/// (swift-corelibs-foundation, issue 4795). This type asks the kernel instead (`waitpid`), and no
/// wait lasts longer than its deadline.
///
/// It is used by one thread at a time. If the process is still running when the `ChildProcess` is
/// released, it is killed.
package final class ChildProcess {
    /// The way in which a process ended.
    package enum End: Hashable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    /// The destination of a process's error output.
    package enum ErrorOutput {
        /// The error output of this program.
        case inherited
        case nowhere
        /// Kept in memory. See ``errorText``.
        case kept
    }

    /// The error that a process could not be started or did not answer.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let name: String
    private let id: pid_t
    private let input: OwnDescriptor
    private let output: OwnDescriptor
    private let errors: OwnDescriptor
    private var ended: End?
    private var unread: [UInt8] = []
    private var errorBytes: [UInt8] = []

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: its path, or a name that is looked up in `PATH`.
    ///   - arguments: the arguments, without the name of the program.
    ///   - errorOutput: where the program's error output goes.
    /// - Throws: ``Failure`` if the program cannot be started.
    package init(
        _ program: String, _ arguments: [String], errorOutput: ErrorOutput = .inherited
    ) throws(Failure) {
        // A socket, because writing to a socket whose other end is closed need not raise a signal.
        let (input, childInput) = try OwnDescriptor.socketPair()
        let (output, childOutput) = try OwnDescriptor.pipe()
        let (errors, childErrors) = try OwnDescriptor.pipe()
        var spawn = try SpawnActions()
        spawn.connect(childInput, to: STDIN_FILENO)
        spawn.connect(childOutput, to: STDOUT_FILENO)
        switch errorOutput {
        case .inherited: break
        case .nowhere: spawn.open("/dev/null", as: STDERR_FILENO)
        case .kept: spawn.connect(childErrors, to: STDERR_FILENO)
        }
        id = try spawn.start(program, arguments)
        name = program
        (self.input, self.output, self.errors) = (input, output, errors)
    }

    deinit {
        if ended == nil { killNow() }
    }

    /// The way in which the process ended, or `nil` while it is running.
    package var currentEnd: End? {
        askForEnd()
        return ended
    }

    /// Writes to the process's standard input.
    ///
    /// - Throws: ``Failure`` if the process has closed its input or has ended.
    package func send(_ bytes: some Sequence<UInt8>) throws(Failure) {
        // The socket does not always report this: a process that another thread has just started
        // holds a copy of the socket's other end until it runs its own program.
        if currentEnd != nil {
            throw Failure(description: "\(name) cannot receive input, because it has ended")
        }
        var left = Array(bytes)[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes {
                #if canImport(Darwin)
                write(input.number, $0.baseAddress, $0.count)
                #else
                Foundation.send(input.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                #endif
            }
            if count > 0 {
                left = left.dropFirst(count)
            } else if errno != EINTR {
                throw Failure(description: "\(name) no longer reads its input: \(systemError())")
            }
        }
    }

    /// Waits for the next line of the process's output, and returns it without its line feed.
    /// Returns `nil` if the output ends before another complete line.
    ///
    /// - Throws: ``Failure`` if no line arrives in time. The process has been killed then.
    package func nextLine(within seconds: Double = 120) throws(Failure) -> [UInt8]? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return Array(unread[..<end])
            }
            guard try read(until: deadline) else { return nil }
        }
    }

    /// Waits for the end of the process, and returns the output that was not read as lines.
    ///
    /// - Throws: ``Failure`` if the process does not end in time. It has been killed then.
    package func output(within seconds: Double = 600) throws(Failure) -> [UInt8] {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while try read(until: deadline) {}
        _ = try end(within: max(1, deadline.timeIntervalSinceNow))
        defer { unread = [] }
        return unread
    }

    /// The text that the process has written to its error output so far, if the error output is
    /// kept.
    package var errorText: String { String(decoding: errorBytes, as: UTF8.self) }

    /// Waits for the end of the process.
    ///
    /// - Throws: ``Failure`` if the process does not end in time. It has been killed then.
    package func end(within seconds: Double = 120) throws(Failure) -> End {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            if let end = currentEnd { return end }
            if deadline.timeIntervalSinceNow < 0 { throw tooLate() }
            usleep(2000)
        }
    }

    /// Kills the process with `SIGKILL`, and waits until it has ended.
    @discardableResult
    package func killNow() -> End {
        if let ended { return ended }
        kill(id, SIGKILL)
        askForEnd(waiting: true)
        return ended ?? .signal(SIGKILL)
    }

    private func askForEnd(waiting: Bool = false) {
        guard ended == nil else { return }
        var status: Int32 = 0
        var found: pid_t
        repeat {
            found = waitpid(id, &status, waiting ? 0 : WNOHANG)
        } while found < 0 && errno == EINTR
        guard found == id else { return }
        // Decode the status like the macros in <sys/wait.h>.
        let signal = status & 0x7f
        ended = signal == 0 ? .code(status >> 8 & 0xff) : .signal(signal)
    }

    /// Reads available output. Returns `false` if the output has ended.
    private func read(until deadline: Date) throws(Failure) -> Bool {
        var ready = [output, errors].map { descriptor in
            pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        }
        let wait = Int32(max(0, min(3600, deadline.timeIntervalSinceNow)) * 1000)
        let count = poll(&ready, nfds_t(ready.count), wait)
        if count < 0 && errno == EINTR { return true }
        guard count > 0 else { throw tooLate() }
        // The error output may end first, but only the end of the standard output counts.
        if ready[1].revents != 0, !errors.read(into: &errorBytes) { errors.close() }
        return ready[0].revents == 0 || output.read(into: &unread)
    }

    private func tooLate() -> Failure {
        killNow()
        return Failure(description: "\(name) did not answer in time and was killed")
    }
}

func systemError() -> String { String(cString: strerror(errno)) }
