import ArgumentParser
import Cairn

/// `cairn model lint`: finds likely mistakes in a model that is otherwise valid.
struct ModelLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Warns of what is probably not meant, as Xcode does.",
        discussion: "Warnings are on standard output. A model that does not compile exits 1.")

    @OptionGroup var arguments: ModelArguments

    @Flag(help: "Exit 1 if there are warnings.")
    var strict = false

    func run() throws {
        let warnings = try ModelLinter(arguments.model()).warnings()
        for warning in warnings { try Output.line("warning: \(warning)") }
        guard strict, !warnings.isEmpty else { return }
        throw ToolFailure("\(arguments.path.shown) has \(warnings.count) warnings.")
    }
}
