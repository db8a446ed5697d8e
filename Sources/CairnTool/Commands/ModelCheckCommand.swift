import ArgumentParser
import Cairn
import CairnModelCode
import Foundation

/// `cairn model check`: checks that the classes of a program agree with a model.
struct ModelCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Fails if classes are not those of the model.",
        discussion: """
            With -o: compares what “cairn model generate” would write with what is in the folder. \
            With --product: makes a model of a library's classes, as “cairn model extract” does, and \
            lists what differs. Writes nothing, and exits 1 if there are differences, for a build server.
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
            throw ValidationError("Give either a folder with -o or a library with --product.")
        }
    }

    func run() throws {
        if let output { try checkGenerated(in: output) } else { try checkModel() }
    }

    private func checkGenerated(in output: PathArgument) throws {
        let folder = GeneratedFolder(try output.url())
        let differences = try folder.differences(from: try code.code(of: arguments).files)
        guard !differences.isEmpty else {
            return try Output.line("The classes are those of the model.")
        }
        for line in differences { try Output.line(line) }
        throw ToolFailure(
            "The classes in \(output.shown) are not those of \(arguments.path.shown)."
                + " Run “cairn model generate” with the same arguments.")
    }

    private func checkModel() throws {
        let model = try arguments.model()
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cairn-check-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Classes.xcdatamodeld")
        _ = try classes.model().extract(to: url)
        let made = try ManagedObjectModel(contentsOf: url)
        let lines = Self.differences(of: made, from: model)
        guard !lines.isEmpty else {
            return try Output.line("The classes make the model.")
        }
        for line in lines { try Output.line(line) }
        throw ToolFailure(
            "The classes of \(classes.product ?? "") make another model than"
                + " \(arguments.path.shown): each line says what they would change in it.")
    }

    /// Returns the differences between the classes' model and the other model, with a line for each. Ignores
    /// module names before class names.
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
