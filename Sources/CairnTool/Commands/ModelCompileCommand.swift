import ArgumentParser
import Cairn

/// `cairn model compile`: compiles a source model to the form that programs read.
struct ModelCompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile", abstract: "Compiles a model to .momd or .mom.",
        discussion: """
            A .momd holds all versions and their hashes, a .mom the current version. Nothing is \
            written over what is there. Example: cairn model compile Trails.xcdatamodeld Trails.momd
            """)

    @Argument(
        help: "A .xcdatamodeld or .xcdatamodel.", completion: .file(),
        transform: PathArgument.init(argument:))
    var source: PathArgument

    @Argument(
        help: "The .momd or .mom to make.", completion: .file(),
        transform: PathArgument.init(argument:))
    var destination: PathArgument

    func run() throws {
        try ModelConvertCommand.convert(
            source, to: destination, allowing: ModelForm.allCases.filter(\.isCompiled))
    }
}
