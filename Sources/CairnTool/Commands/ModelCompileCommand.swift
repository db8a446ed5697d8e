import ArgumentParser
import Cairn

/// The `cairn model compile` command, which compiles a source model to the form that programs read.
struct ModelCompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile", abstract: "Compiles a model to .momd or .mom.",
        discussion: """
            A .momd contains all versions and their hashes. A .mom contains only the current version. \
            An existing file or folder is never overwritten. \
            Example: cairn model compile Trails.xcdatamodeld Trails.momd
            """)

    @Argument(
        help: "A .xcdatamodeld or .xcdatamodel.", completion: .file(),
        transform: PathArgument.init(argument:))
    var source: PathArgument

    @Argument(
        help: "The .momd or .mom to create.", completion: .file(),
        transform: PathArgument.init(argument:))
    var destination: PathArgument

    func run() throws {
        try ModelConvertCommand.convert(
            source, to: destination, allowing: ModelForm.allCases.filter(\.isCompiled))
    }
}
