import ArgumentParser
import Cairn
import Foundation

/// `cairn model extract`: creates a model from the classes of a program.
struct ModelExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract", abstract: "Writes the model that the classes of a program make.",
        discussion: """
            Builds a small program with the library that has the classes, and runs it: it makes the \
            model and writes it. The classes are those with @Entity in the library's sources, or \
            else all that inherit from ManagedObject. They can be internal, but not private. \
            Nothing is written over what is there.
            Example: cairn model extract --product Trails -o Trails.xcdatamodeld
            """)

    @OptionGroup var classes: ClassModelArguments

    @Option(
        name: .shortAndLong, help: "The .xcdatamodeld to make.", completion: .file(),
        transform: PathArgument.init(argument:))
    var output: PathArgument

    func run() throws {
        let url = try output.urlOfNewFile().standardizedFileURL
        guard ModelForm(of: url) == .xcdatamodeld else {
            throw ValidationError("The name of the model must end in .xcdatamodeld.")
        }
        let outcome = try classes.model().extract(to: url)
        for line in outcome.lost { Output.error("cairn: the file does not hold this: \(line)") }
        try Output.line(
            "wrote \(output.shown) from \(outcome.classes.joined(separator: ", "))")
    }
}
