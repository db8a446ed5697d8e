import CairnProcesses
import Foundation

/// A run of the tests' worker, the program in `Tests/TestWorker`, as another process. It is killed if it
/// outlives this object.
public final class WorkerProcess {
    private let process: ChildProcess

    /// The name of the program.
    public static let programName = "TestWorker"

    /// Beside the test runner, whose executable may stand in a bundle.
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

    /// Runs the worker that was built beside the tests.
    ///
    /// - Parameter arguments: what the worker does, as the comment of `TestWorker` lists it.
    public init(_ arguments: [String]) throws {
        process = try ChildProcess(Self.executable().path, arguments, errorOutput: .nowhere)
    }

    /// Runs the worker that was built beside the tests.
    public convenience init(_ arguments: String...) throws { try self.init(arguments) }

    /// Waits for the next line that the worker writes. Returns `nil` if it ends before, or is
    /// silent for two minutes.
    public func line() -> String? {
        (try? process.nextLine()).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Sends the worker a line; returns the next one that it writes, as ``line()`` does.
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

    /// Waits for the end; kills a worker that does not come to one in two minutes.
    public func end() -> End { End((try? process.end()) ?? process.killNow()) }

    /// Ends it as a crash would.
    public func killNow() { process.killNow() }
}
