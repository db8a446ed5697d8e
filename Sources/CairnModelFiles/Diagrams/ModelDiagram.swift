import CairnModel

/// A drawing of a model: a box for each entity, a line for each relationship with its inverse, and an
/// arrow from each entity to its superentity.
public struct ModelDiagram: Sendable {
    /// The colours of the drawing.
    public enum Theme: String, Sendable, CaseIterable {
        /// Light, and dark on a screen whose user prefers dark colours.
        case automatic
        /// Dark on white, for print.
        case light
        case dark
    }

    private let model: ManagedObjectModel

    /// Draws a model.
    public init(_ model: ManagedObjectModel) { self.model = model }

    /// Returns the text of an SVG file.
    ///
    /// Boxes do not overlap, and lines cross no box. A forked end of a line is the to-many one. The
    /// time grows with the square of the number of entities that relationships connect.
    public func svg(theme: Theme = .automatic) -> String {
        let graph = DiagramGraph(model)
        var writer = SVGWriter(graph, DiagramLayout(graph), theme: theme)
        return writer.text()
    }

    /// Returns the text of a file for Graphviz, which lays it out itself (`dot -Tpdf`).
    public func dot() -> String { DotWriter.text(of: DiagramGraph(model)) }
}
