import ArgumentParser
import Cairn
import Foundation

/// The `cairn model diagram` command, which draws a model.
struct ModelDiagramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagram", abstract: "Draws the entities and relationships of a model.",
        discussion: """
            Prints an SVG file, or a file for Graphviz. A forked end of a line means to-many. A \
            dashed line leads to the superentity. With --entity, only that entity and those that \
            lines connect with it are drawn. Example: cairn model diagram Trails.momd > t.svg
            """)

    /// The format of the drawing.
    enum Format: String, ExpressibleByArgument, CaseIterable { case svg, dot }

    @OptionGroup var arguments: ModelArguments

    @Option(parsing: .unconditional, help: "An entity that is drawn with its neighbours.")
    var entity: String?

    @Option(help: "The format of the drawing.")
    var format = Format.svg

    @Option(
        help: "The colors of an SVG file: automatic follows the appearance of the reader's system.")
    var theme = ModelDiagram.Theme.automatic

    func run() throws {
        let model = try arguments.model()
        let chosen = entity.flatMap { model.entity(named: $0) }
        if let entity, chosen == nil {
            throw GraphError.unknownEntity(entity, known: model.entities.map(\.name))
        }
        let diagram = ModelDiagram(model, around: chosen)
        let text = format == .svg ? diagram.svg(theme: theme) : diagram.dot()
        try Output.write(Data(text.utf8))
    }
}

extension ModelDiagram.Theme: ExpressibleByArgument {}
