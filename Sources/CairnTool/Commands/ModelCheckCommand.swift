import ArgumentParser
import Cairn
import CairnModelCode
import Foundation

/// `cairn model check`: whether the classes are those of the model.
struct ModelCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Fails if generated classes are not those of the model.",
        discussion: """
            Compares what “cairn model generate” would write with what is in the folder, and writes \
            nothing. Exits 1 if they differ, for a build server.
            Example: cairn model check Trails.xcdatamodeld -o Sources/Trails
            """)

    @OptionGroup var arguments: ModelArguments

    @OptionGroup var code: ModelCodeArguments

    func run() throws {
        let folder = GeneratedFolder(try code.output.url())
        let differences = try folder.differences(from: try code.code(of: arguments).files)
        guard !differences.isEmpty else {
            return try Output.line("The classes are those of the model.")
        }
        for line in differences { try Output.line(line) }
        throw ToolFailure(
            "The classes in \(code.output.shown) are not those of \(arguments.path.shown)."
                + " Run “cairn model generate” with the same arguments.")
    }
}
