import ArgumentParser
import Cairn
import Foundation

/// `cairn model info`: prints a model as text.
struct ModelInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Shows everything that a model declares.",
        discussion: """
            Properties with types, defaults, validation rules, derivations, inverses and delete rules; \
            uniqueness constraints, indexes, composites, configurations and fetch requests. Properties \
            that an entity inherits are shown with the entity that declares them.
            Example: cairn model info Trails.sqlite
            """)

    @OptionGroup var arguments: ModelArguments

    @Flag(help: "Print the stable JSON form.")
    var json = false

    func run() throws {
        let model = try arguments.model()
        if json {
            try Output.write(JSONEncoder.forTool(pretty: true).encode(ModelReport(model)))
            return try Output.line("")
        }
        try Output.line(ModelText(model).paragraphs.joined(separator: "\n\n"))
    }
}
