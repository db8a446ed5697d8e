import ArgumentParser

/// A failure of the tool itself. The description is the message for the user.
struct ToolFailure: Error, CustomStringConvertible {
    let description: String
    /// The exit code of the command.
    let exitCode: Int32

    init(_ description: String, exitCode: Int32 = 1) {
        self.description = description
        self.exitCode = exitCode
    }

    private init(silentExitCode: Int32) {
        description = ""
        exitCode = silentExitCode
    }

    /// The reader of standard output has gone, so no message is printed.
    ///
    /// The exit code is the one that a shell reports for a command that SIGPIPE ended. It is not 0, because
    /// the command did not finish, and 0 could be mistaken for a result, for example that a store is sound.
    static let readerIsGone = ToolFailure(silentExitCode: 128 + 13)
}
