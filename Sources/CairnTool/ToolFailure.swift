import ArgumentParser

/// A failure of the tool itself, in words for the user.
struct ToolFailure: Error, CustomStringConvertible {
    let description: String
    /// What the command exits with.
    let exitCode: Int32

    init(_ description: String) {
        self.description = description
        exitCode = 1
    }

    private init(silentExitCode: Int32) {
        description = ""
        exitCode = silentExitCode
    }

    /// The reader of standard output has gone, and wants to know no more.
    ///
    /// The exit code is that of a shell for a command that SIGPIPE ended: the command did not come to its
    /// end, so 0 could be taken for an answer, such as that a store is sound.
    static let readerIsGone = ToolFailure(silentExitCode: 128 + 13)
}
