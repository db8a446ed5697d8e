import ArgumentParser
import Cairn

/// The `cairn model lint` command, which warns of declarations that compile but are probably mistakes.
struct ModelLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Warns about likely mistakes in a model, as Xcode does.",
        discussion: """
            Of a model with versions, the mapping models beside it and the migrations from each version to \
            the newest are checked as well, unless --version is given. With --product, looks at the model of a library's classes, as “cairn model extract” makes it. \
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
        let findings = try historyFindings()
        for finding in findings { try Output.line("warning: \(finding)") }
        let count = warnings.count + findings.count
        guard strict, count > 0 else { return }
        throw ToolFailure(
            "\(path?.shown ?? classes.product ?? "") has \(Quantity.count(count, "warning"))."
        )
    }

    /// Returns what is wrong with the versions and mapping models, if the model has versions.
    private func historyFindings() throws -> [InferenceFinding] {
        guard let path, version == nil else { return [] }
        let url = try path.url()
        guard ["xcdatamodeld", "momd"].contains(url.pathExtension) else { return [] }
        return HistoryLinter(try ModelHistory(contentsOf: url)).findings()
    }
}
