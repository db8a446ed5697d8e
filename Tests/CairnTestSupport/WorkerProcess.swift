import CairnProcesses
import Foundation

/// A run of the tests' worker program `Tests/TestWorker` as another process. The process is killed if it
/// outlives this object.
public final class WorkerProcess {
    private let process: ChildProcess

    /// The name of the program.
    public static let programName = "TestWorker"

    /// Returns the worker's URL. It is next to the test runner, whose executable may be inside a bundle.
    private static func executable() throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<4 {
            let file = folder.appending(path: programName)
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
            folder.deleteLastPathComponent()
        }
        struct NoWorker: Error {}
        throw NoWorker()
    }

    /// Runs the worker that was built with the tests.
    ///
    /// - Parameter arguments: The worker's task, as listed in the comment of `TestWorker`.
    public init(_ arguments: [String]) throws {
        process = try ChildProcess(Self.executable().path, arguments, errorOutput: .nowhere)
    }

    /// Runs the worker that was built with the tests.
    public convenience init(_ arguments: String...) throws { try self.init(arguments) }

    /// Waits for the next line that the worker writes. Returns `nil` if the worker ends first, or is silent
    /// for two minutes.
    public func line() -> String? {
        (try? process.nextLine()).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Sends the worker a line and returns the next line that it writes, as ``line()`` does.
    public func answer(to line: String) -> String? {
        guard (try? process.send(Array((line + "\n").utf8))) != nil else { return nil }
        return self.line()
    }

    /// How a process ended.
    public enum End: Hashable {
        case code(Int32)
        case signal(Int32)

        init(_ end: ChildProcess.End) {
            switch end {
            case .code(let code): self = .code(code)
            case .signal(let signal): self = .signal(signal)
            }
        }
    }

    /// Waits for the worker to end. Kills it after two minutes.
    public func end() -> End { End((try? process.end()) ?? process.killNow()) }

    /// Kills the worker, as a crash would.
    public func killNow() { process.killNow() }
}
