import CairnModel

/// A drawing of a model: a box for each entity, a line for each relationship with its inverse, and an
/// arrow from each entity to its superentity.
package struct ModelDiagram: Sendable {
    /// The colours of the drawing.
    package enum Theme: String, Sendable, CaseIterable {
        /// Light, or dark on a screen if the user prefers dark colours.
        case automatic
        /// Dark text on white, also for print.
        case light
        /// Light text on a dark background.
        case dark
    }

    private let model: ManagedObjectModel

    /// Creates a diagram of a model.
    package init(_ model: ManagedObjectModel) { self.model = model }

    /// Returns the diagram as an SVG file.
    ///
    /// Boxes do not overlap, and lines do not cross boxes. A fork at the end of a line marks a to-many. Takes
    /// time proportional to the square of the number of entities that relationships connect.
    package func svg(theme: Theme = .automatic) -> String {
        let graph = DiagramGraph(model)
        var writer = SVGWriter(graph, DiagramLayout(graph), theme: theme)
        return writer.text()
    }

    /// Returns the diagram as a file for Graphviz, which computes its own layout (`dot -Tpdf`).
    package func dot() -> String { DotWriter.text(of: DiagramGraph(model)) }
}
