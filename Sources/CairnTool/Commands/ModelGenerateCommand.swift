import ArgumentParser
import Cairn
import CairnFiles
import CairnModelCode
import Foundation

/// The `cairn model generate` command, which writes the Swift classes of a model.
struct ModelGenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Writes the Swift classes of a model's entities.",
        discussion: """
            Writes the properties of each entity to a file in DIR/Generated, which is overwritten each \
            time, and the class itself to a file in DIR, unless that file already exists. Removes the \
            files in DIR/Generated of entities that the model no longer has.
            Example: cairn model generate Trails.xcdatamodeld -o Sources/Trails
            """)

    @OptionGroup var arguments: ModelArguments

    @Option(
        name: .shortAndLong, help: "The folder of the classes.", completion: .directory,
        transform: PathArgument.init(argument:))
    var output: PathArgument

    @OptionGroup var code: ModelCodeArguments

    func run() throws {
        let code = try code.code(of: arguments)
        let folder = GeneratedFolder(try output.urlOfNewFile())
        let changes = try folder.write(code.files)
        for line in changes { try Output.line(line) }
        if changes.isEmpty { try Output.line("Everything was up to date.") }
    }
}
