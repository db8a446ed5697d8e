import Foundation

/// A finished run of `swift`, or of a program that it built.
struct SwiftCommand {
    /// The output of the command.
    let output: Data
    let exitCode: Int32

    var text: String { String(decoding: output, as: UTF8.self) }

    /// Runs a program, which is looked up in `PATH`, and waits until it ends.
    ///
    /// - Parameter mergesErrors: Whether `output` includes the program's standard error. If `false`, the
    ///   program's standard error is printed immediately.
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
