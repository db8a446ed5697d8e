import ArgumentParser

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
