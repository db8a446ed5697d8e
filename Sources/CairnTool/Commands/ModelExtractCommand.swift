import ArgumentParser
import Cairn
import Foundation

/// The `cairn model extract` command, which writes the model of a program's classes.
struct ModelExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract", abstract: "Writes the model that the classes of a program declare.",
        discussion: """
            Builds and runs a small program that links the library with the classes and writes their \
            model. The classes are those with @Entity in the library's sources or, if no class has it, \
            all classes that inherit from ManagedObject. They can be internal, but not private. \
            An existing file or folder is never overwritten.
            Example: cairn model extract --product Trails -o Trails.xcdatamodeld
            """)

    @OptionGroup var classes: ClassModelArguments

    @Option(
        name: .shortAndLong, help: "The .xcdatamodeld to create.", completion: .file(),
        transform: PathArgument.init(argument:))
    var output: PathArgument

    func run() throws {
        let url = try output.urlOfNewFile().standardizedFileURL
        guard ModelForm(of: url) == .xcdatamodeld else {
            throw ValidationError("The name of the model must end in .xcdatamodeld.")
        }
        let outcome = try classes.model().extract(to: url)
        for line in outcome.lost { Output.error("cairn: the file cannot represent this: \(line)") }
        try Output.line(
            "wrote \(output.shown) from \(outcome.classes.joined(separator: ", "))")
    }
}
