import ArgumentParser
import Cairn
import Foundation

/// `cairn model diagram`: draws a model.
struct ModelDiagramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagram", abstract: "Draws entities and relationships.",
        discussion: """
            Prints an SVG file, or one for Graphviz. A forked end of a line is the to-many one; a \
            dashed line leads to the superentity. Example: cairn model diagram Trails.momd > t.svg
            """)

    /// The format of the output.
    enum Format: String, ExpressibleByArgument, CaseIterable { case svg, dot }

    @OptionGroup var arguments: ModelArguments

    @Option(help: "The form of the drawing.")
    var format = Format.svg

    @Option(help: "The colours of an SVG: automatic follows the reader's screen.")
    var theme = ModelDiagram.Theme.automatic

    func run() throws {
        let diagram = ModelDiagram(try arguments.model())
        let text = format == .svg ? diagram.svg(theme: theme) : diagram.dot()
        try Output.write(Data(text.utf8))
    }
}

extension ModelDiagram.Theme: ExpressibleByArgument {}
