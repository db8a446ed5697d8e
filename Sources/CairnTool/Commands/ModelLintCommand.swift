import ArgumentParser
import Cairn

/// The `cairn model lint` command, which warns of declarations that compile but are probably mistakes.
struct ModelLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Warns about likely mistakes in a model, as Xcode does.",
        discussion: """
            Warnings are printed to standard output. Exits with 1 if the model does not compile.
            """)

    @OptionGroup var arguments: ModelArguments

    @Flag(help: "Exit with 1 if there are warnings.")
    var strict = false

    func run() throws {
        let warnings = try ModelLinter(arguments.model()).warnings()
        for warning in warnings { try Output.line("warning: \(warning)") }
        guard strict, !warnings.isEmpty else { return }
        throw ToolFailure(
            "\(arguments.path.shown) has \(Quantity.count(warnings.count, "warning")).")
    }
}
