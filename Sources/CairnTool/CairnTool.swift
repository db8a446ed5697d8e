import ArgumentParser
import Foundation

/// The `cairn` command.
struct CairnTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cairn",
        abstract: "Looks at, checks and shows models and stores of Core Data's kind.",
        discussion: """
            Exit codes: 0 done, 1 failed, 2 used wrongly.
            """,
        subcommands: [
            ModelCommand.self, StoreCommand.self, TourCommand.self, ConformCommand.self,
        ])
}
