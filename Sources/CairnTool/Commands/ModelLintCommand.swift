import ArgumentParser
import Cairn

/// The `cairn model lint` command, which warns of declarations that compile but are probably mistakes.
struct ModelLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Warns about likely mistakes in a model, as Xcode does.",
        discussion: """
            With --product, looks at the model of a library's classes, as “cairn model extract” makes it. \
            Warnings are printed to standard output. Exits with 1 if the model does not compile.
            """)

    @Argument(
        help: """
            A .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that contains its model, unless \
            --product is given.
            """,
        completion: .file(), transform: PathArgument.init(argument:))
    var path: PathArgument?

    @Option(parsing: .unconditional, help: "A version by name, instead of the current one.")
    var version: String?

    @OptionGroup var classes: ClassModelArguments

    @Flag(help: "Exit with 1 if there are warnings.")
    var strict = false

    func validate() throws {
        guard (path == nil) != (classes.product == nil) else {
            throw ValidationError("Pass either a model or a library with --product.")
        }
    }

    func run() throws {
        let model =
            try path.map { try ToolModel($0).version(version) } ?? classes.model().compiled()
        let warnings = ModelLinter(model).warnings()
        for warning in warnings { try Output.line("warning: \(warning)") }
        guard strict, !warnings.isEmpty else { return }
        throw ToolFailure(
            "\(path?.shown ?? classes.product ?? "") has \(Quantity.count(warnings.count, "warning"))."
        )
    }
}
