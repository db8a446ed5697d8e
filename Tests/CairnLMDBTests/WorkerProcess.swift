import Foundation
import Testing

/// A run of the worker as another process.
final class WorkerProcess {
    private let process = Process()
    private let output = Pipe()

    /// Beside the test runner, whose executable may stand in a bundle.
    private static func executable() throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<4 {
            let file = folder.appending(path: "CairnLMDBTestWorker")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
            folder.deleteLastPathComponent()
        }
        struct NoWorker: Error {}
        throw NoWorker()
    }

    convenience init(_ arguments: String...) throws { try self.init(arguments) }

    init(_ arguments: [String]) throws {
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Waits for the next line that the worker writes; nil where it ends before.
    func line() -> String? {
        var bytes: [UInt8] = []
        while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// How a process ended.
    enum End: Hashable {
        case code(Int32)
        case signal(Int32)
    }

    /// Waits for the end.
    func end() -> End {
        process.waitUntilExit()
        return process.terminationReason == .exit
            ? .code(process.terminationStatus) : .signal(process.terminationStatus)
    }

    /// Ends it as a crash would.
    func killNow() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
