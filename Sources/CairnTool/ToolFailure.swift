import ArgumentParser

/// A failure of the tool itself, in words for the user.
struct ToolFailure: Error, CustomStringConvertible {
    let description: String
    /// The exit code of the command.
    let exitCode: Int32

    init(_ description: String) {
        self.description = description
        exitCode = 1
    }

    private init(silentExitCode: Int32) {
        description = ""
        exitCode = silentExitCode
    }

    /// The reader of standard output has closed the pipe and expects no further output.
    ///
    /// The exit code is the one that a shell reports for a command that was ended by SIGPIPE. It is not 0,
    /// because the command has not finished, and 0 could mean, for example, that a store is sound.
    static let readerIsGone = ToolFailure(silentExitCode: 128 + 13)
}
