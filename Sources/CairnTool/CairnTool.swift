import ArgumentParser
import Foundation

/// The `cairn` command.
struct CairnTool: ParsableCommand {
    /// The version, which `--version` prints and pages show.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "cairn",
        abstract: "Looks at, checks and shows models and stores of Core Data's kind.",
        discussion: """
            Exit codes: 0 done, 1 failed, 2 used wrongly. If the reader of the output goes away, as \
            “| head” does, the command ends without a message and with 141, as others do.
            """,
        version: version,
        subcommands: [
            ModelCommand.self, StoreCommand.self, TourCommand.self, ConformCommand.self,
        ])
}
