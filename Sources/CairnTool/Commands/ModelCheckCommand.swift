import ArgumentParser
import Cairn
import CairnModelCode
import Foundation

/// The `cairn model check` command, which tests whether classes agree with a model.
struct ModelCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Fails if classes do not match the model.",
        discussion: """
            With -o, compares what “cairn model generate” would write with the content of the folder. \
            With --product, builds a model from a library's classes, as “cairn model extract” does, and \
            lists the differences. Writes nothing. Exits with 1 if there are differences, so that a \
            build server can run it.
            Examples: cairn model check Trails.xcdatamodeld -o Sources/Trails
            cairn model check Trails.xcdatamodeld --product Trails
            """)

    @OptionGroup var arguments: ModelArguments

    @Option(
        name: .shortAndLong, help: "The folder of the generated classes.", completion: .directory,
        transform: PathArgument.init(argument:))
    var output: PathArgument?

    @OptionGroup var code: ModelCodeArguments

    @OptionGroup var classes: ClassModelArguments

    func validate() throws {
        guard (output == nil) != (classes.product == nil) else {
            throw ValidationError("Pass either a folder with -o or a library with --product.")
        }
    }

    func run() throws {
        if let output { try checkGenerated(in: output) } else { try checkModel() }
    }

    private func checkGenerated(in output: PathArgument) throws {
        let folder = GeneratedFolder(try output.url())
        let differences = try folder.differences(from: try code.code(of: arguments).files)
        guard !differences.isEmpty else {
            return try Output.line("The classes match the model.")
        }
        for line in differences { try Output.line(line) }
        throw ToolFailure(
            "The classes in \(output.shown) do not match \(arguments.path.shown)."
                + " Run “cairn model generate” with the same arguments.")
    }

    private func checkModel() throws {
        let model = try arguments.model()
        let lines = Self.differences(of: try classes.model().compiled(), from: model)
        guard !lines.isEmpty else {
            return try Output.line("The classes match the model.")
        }
        for line in lines { try Output.line(line) }
        throw ToolFailure(
            "The classes of \(classes.product ?? "") do not match \(arguments.path.shown). Each line"
                + " above is a change from that model to the model of the classes.")
    }

    /// Returns a line for each change that the model of the classes makes to the other model. Module names
    /// before class names are ignored.
    static func differences(
        of made: ManagedObjectModel, from model: ManagedObjectModel
    ) -> [String] {
        var description = model.description
        for index in description.entities.indices {
            let entity = description.entities[index]
            let name = entity.managedObjectClassName?.split(separator: ".").last.map(String.init)
            description.entities[index].managedObjectClassName = name ?? entity.name
        }
        guard let plain = try? ManagedObjectModel(description) else {
            return ModelChanges(from: model, to: made).lines
        }
        return ModelChanges(from: plain, to: made).lines
    }
}
