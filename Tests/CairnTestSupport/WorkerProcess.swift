import Foundation

/// A run of a test's worker as another process.
public final class WorkerProcess {
    private let process = Process()
    private let output = Pipe()

    /// Beside the test runner, whose executable may stand in a bundle.
    private static func executable(_ name: String) throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<4 {
            let file = folder.appending(path: name)
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
            folder.deleteLastPathComponent()
        }
        struct NoWorker: Error {}
        throw NoWorker()
    }

    /// Runs the worker that was built beside the tests.
    public init(named name: String, _ arguments: [String]) throws {
        process.executableURL = try Self.executable(name)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Waits for the next line that the worker writes; nil where it ends before.
    public func line() -> String? {
        var bytes: [UInt8] = []
        while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// How a process ended.
    public enum End: Hashable {
        case code(Int32)
        case signal(Int32)
    }

    /// Waits for the end.
    public func end() -> End {
        process.waitUntilExit()
        return process.terminationReason == .exit
            ? .code(process.terminationStatus) : .signal(process.terminationStatus)
    }

    /// Ends it as a crash would.
    public func killNow() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
