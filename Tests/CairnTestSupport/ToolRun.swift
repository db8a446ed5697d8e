import CairnProcesses
import Foundation

/// A run of the built `cairn` command.
public struct ToolRun: Sendable {
    /// The command's exit code, or the negated signal number if a signal ended it.
    public let exitCode: Int32
    /// Everything on standard output, as bytes.
    public let output: Data
    /// Everything on standard error.
    public let errorText: String

    /// Standard output as text, with replacement characters for invalid UTF-8.
    public var text: String { String(decoding: output, as: UTF8.self) }

    /// Runs the command that was built with the tests, and waits for it.
    ///
    /// - Parameter nobodysCopy: A copy of the command. If the tests run as root, the copy runs as the user
    ///   `nobody`, who can write nowhere; see ``copyExecutable(into:)``. If `nil`, the built command runs.
    public init(_ arguments: [String], copyForNobody: URL? = nil) throws {
        let tool = copyForNobody ?? Self.executable
        let asNobody = copyForNobody != nil && geteuid() == 0
        try self.init(
            of: asNobody ? "/usr/bin/setpriv" : tool.path,
            (asNobody
                ? ["--reuid", "65534", "--regid", "65534", "--clear-groups", tool.path] : [])
                + arguments)
    }

    /// Runs the command with a path of arbitrary bytes between other arguments, and waits for it.
    ///
    /// A shell creates the path, because Swift passes only UTF-8.
    ///
    /// - Parameter path: Each byte as `\0` and three octal digits, the format of `printf`'s `%b`.
    public init(_ arguments: [String], pathInOctal path: String, _ rest: [String]) throws {
        let count = arguments.count
        let before = (0..<count).map { "\"${\($0 + 2)}\"" }.joined(separator: " ")
        let after = (0..<rest.count).map { "\"${\($0 + 2 + count)}\"" }.joined(separator: " ")
        let script = "exec \"$0\" \(before) \"$(printf %b \"$1\")\" \(after)"
        try self.init(of: "/bin/sh", ["-c", script, Self.executable.path, path] + arguments + rest)
    }

    private init(of program: String, _ arguments: [String]) throws {
        let process = try ChildProcess(program, arguments, errorOutput: .kept)
        output = try Data(process.output())
        switch try process.end() {
        case .code(let code): exitCode = code
        case .signal(let signal): exitCode = -signal
        }
        errorText = process.errorText
    }

    /// Copies the command to a folder that every user can reach. The build folder may be inaccessible to
    /// others.
    public static func copyExecutable(into folder: URL) throws -> URL {
        let copy = folder.appending(path: "cairn")
        try FileManager.default.copyItem(at: executable, to: copy)
        return copy
    }

    /// The command that was built with the tests.
    public static var executable: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "cairn")
    }
}

extension String {
    /// The text of the command without the type that it only knows if it was built with PostgreSQL.
    public var withoutPostgreSQL: String { replacingOccurrences(of: " PostgreSQL,", with: "") }
}
