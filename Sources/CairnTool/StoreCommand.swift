import ArgumentParser

/// The `cairn store` group of commands.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Creates, shows, checks, copies, migrates and recovers stores.",
        subcommands: [
            StoreInfoCommand.self, StoreQueryCommand.self, StoreDumpCommand.self,
            StoreVerifyCommand.self, StoreReportCommand.self, StoreCopyCommand.self,
            StoreNewCommand.self, StoreMigrateCommand.self, StoreRecoverCommand.self,
        ])
}
