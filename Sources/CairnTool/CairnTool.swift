import ArgumentParser
import Foundation

/// The `cairn` command.
struct CairnTool: ParsableCommand {
    /// The version, which `--version` prints and pages show.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "cairn",
        abstract: "Inspects, checks, converts and migrates Core Data models and stores.",
        discussion: """
            Exit codes: 0 for success, 1 for a failure, and 2 for wrong usage. If the program that \
            reads the output ends first, as in “| head”, the command ends without a message and \
            with the exit code 141, like other commands.
            """,
        version: version,
        subcommands: [
            ModelCommand.self, StoreCommand.self, TourCommand.self, ConformCommand.self,
        ])
}
