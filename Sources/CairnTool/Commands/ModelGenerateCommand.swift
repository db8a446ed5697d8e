import ArgumentParser
import Cairn
import CairnFiles
import CairnModelCode
import Foundation

/// `cairn model generate`: writes the Swift classes of a model.
struct ModelGenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Writes the Swift classes of a model's entities.",
        discussion: """
            Writes the properties of each entity to a file in DIR/Generated, over what is there, and \
            the class itself to a file in DIR, only if there is none. Files in DIR/Generated of \
            entities that are gone are removed.
            Example: cairn model generate Trails.xcdatamodeld -o Sources/Trails
            """)

    @OptionGroup var arguments: ModelArguments

    @Option(
        name: .shortAndLong, help: "The folder of the classes.", completion: .directory,
        transform: PathArgument.init(argument:))
    var output: PathArgument

    @OptionGroup var code: ModelCodeArguments

    @Flag(help: "Write everything to one file instead: -o names that file.")
    var oneFile = false

    @Option(help: "With --one-file: a class that the program itself has. May be repeated.")
    var handWritten: [String] = []

    func run() throws {
        let code = try code.code(of: arguments)
        if oneFile {
            let url = try output.urlOfNewFile()
            let text = code.wholeText(handWritten: Set(handWritten))
            try DurableFile(url).write(Array(text.utf8))
            return try Output.line("wrote \(output.shown)")
        }
        let folder = GeneratedFolder(try output.urlOfNewFile())
        let changes = try folder.write(code.files)
        for line in changes { try Output.line(line) }
        if changes.isEmpty { try Output.line("Everything was up to date.") }
    }
}
