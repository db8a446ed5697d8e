import Foundation

/// One run of `swift`, or of a program that it built.
struct SwiftCommand {
    /// What the command printed.
    let output: Data
    let exitCode: Int32

    var text: String { String(decoding: output, as: UTF8.self) }

    /// Finds a program as a shell does, runs it, and waits until it ends.
    ///
    /// - Parameter mergesErrors: whether the program's standard error becomes part of the output. Otherwise,
    ///   it is printed at once.
    /// - Throws: ``ToolFailure`` if the program cannot be started.
    init(_ program: String, _ arguments: [String], mergesErrors: Bool) throws(ToolFailure) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        if mergesErrors { process.standardError = pipe }
        do {
            try process.run()
            output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        } catch {
            throw ToolFailure("\(program) could not be run: \(error)")
        }
        process.waitUntilExit()
        exitCode = process.terminationStatus
    }
}
