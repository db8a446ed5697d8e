import Foundation

/// One run of the built `cairn` command.
public struct ToolRun: Sendable {
    /// What the command returned; the negative number of the signal where one ended it.
    public let exitCode: Int32
    /// Everything on standard output, as bytes.
    public let output: Data
    /// Everything on standard error.
    public let errorText: String

    /// Standard output as text; what is not UTF-8 becomes replacement characters.
    public var text: String { String(decoding: output, as: UTF8.self) }

    /// Runs the command that was built beside the tests, and waits for it.
    ///
    /// - Parameter nobodysCopy: a copy of the command to run as the user who may write nowhere,
    ///   where the tests run as root; see ``copyExecutable(into:)``. nil: run the built one.
    public init(_ arguments: [String], nobodysCopy: URL? = nil) throws {
        let process = Process()
        process.executableURL = nobodysCopy ?? Self.executable
        process.arguments = arguments
        if let nobodysCopy, geteuid() == 0 {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments =
                ["--reuid", "65534", "--regid", "65534", "--clear-groups", nobodysCopy.path]
                + arguments
        }
        // Files, not pipes: a dump is larger than a pipe's buffer.
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cairn-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (out, err) = (folder.appending(path: "out"), folder.appending(path: "err"))
        for file in [out, err] {
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        }
        process.standardOutput = try FileHandle(forWritingTo: out)
        process.standardError = try FileHandle(forWritingTo: err)
        try process.run()
        process.waitUntilExit()
        exitCode =
            process.terminationReason == .exit
            ? process.terminationStatus : -process.terminationStatus
        output = try Data(contentsOf: out)
        errorText = try String(contentsOf: err, encoding: .utf8)
    }

    /// Copies the command to a folder that every user can reach; the build's may be closed.
    public static func copyExecutable(into folder: URL) throws -> URL {
        let copy = folder.appending(path: "cairn")
        try FileManager.default.copyItem(at: executable, to: copy)
        return copy
    }

    private static var executable: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "cairn")
    }
}
