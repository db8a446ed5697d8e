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
            Exit codes: 0 for success, 1 for a failure, 2 for wrong usage, and 3 to 5 for problems that \
            “store verify” finds. If the program that \
            reads the output ends first, as in “| head”, the command ends without a message and \
            with the exit code 141, like other commands.
            """,
        version: version,
        subcommands: [
            ModelCommand.self, StoreCommand.self, TourCommand.self, ConformCommand.self,
        ])
}

/// The `cairn model` group of commands.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Shows, compares and writes models.",
        subcommands: [
            ModelInfoCommand.self, ModelVersionsCommand.self, ModelDiffCommand.self,
            ModelLintCommand.self, ModelDiagramCommand.self, ModelCompileCommand.self,
            ModelConvertCommand.self, ModelGenerateCommand.self, ModelCheckCommand.self,
            ModelExtractCommand.self,
        ])
}

/// The `cairn store` group of commands.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Creates, shows, checks, copies, backs up, migrates, recovers and tidies stores.",
        subcommands: [
            StoreInfoCommand.self, StoreQueryCommand.self, StoreDumpCommand.self,
            StoreVerifyCommand.self, StoreReportCommand.self, StoreCopyCommand.self,
            StoreBackupCommand.self, StoreRestoreCommand.self, StoreHistoryCommand.self,
            StoreFollowCommand.self, StorePurgeHistoryCommand.self, StoreNewCommand.self,
            StoreMigrateCommand.self, StoreRecoverCommand.self,
            StoreCompactCommand.self, StoreTidyCommand.self,
        ])
}
