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

    private let graph: DiagramGraph

    /// Creates a diagram of a model.
    ///
    /// - Parameter entity: The only entity that is drawn, together with those that lines connect with it. `nil`
    ///   draws all entities.
    package init(_ model: ManagedObjectModel, around entity: Entity? = nil) {
        let whole = DiagramGraph(model)
        graph = entity.map { whole.neighbourhood(of: $0) } ?? whole
    }

    /// Returns the diagram as an SVG file.
    ///
    /// Boxes do not overlap, and lines do not cross boxes. A fork at the end of a line marks a to-many. Takes
    /// time proportional to the square of the number of entities that relationships connect.
    package func svg(theme: Theme = .automatic) -> String {
        var writer = SVGWriter(graph, DiagramLayout(graph), theme: theme)
        return writer.text()
    }

    /// Returns the diagram as a file for Graphviz, which computes its own layout (`dot -Tpdf`).
    package func dot() -> String { graph.dot }
}

extension DiagramGraph {
    /// The graph as a Graphviz file.
    fileprivate var dot: String {
        var lines = [
            "digraph model {", "    rankdir=LR;",
            "    node [shape=record, fontname=\"monospace\", fontsize=11];",
            "    edge [dir=both, arrowsize=0.8];",
        ]
        for (number, box) in boxes.enumerated() { lines.append(node(box, number)) }
        for line in self.lines { lines.append(edge(line)) }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private func node(_ box: DiagramBox, _ number: Int) -> String {
        let rows = box.rows.enumerated().map { index, row in
            "<r\(index)> \(escaped(row.name))  \(escaped(row.detail))\\l"
        }
        let title = escaped((box.isAbstract ? "abstract " : "") + box.title)
        let label = (["<head> \(title)"] + rows).joined(separator: "|")
        return "    e\(number) [label=\"\(label)\"];"
    }

    private func edge(_ line: Line) -> String {
        func port(_ end: End) -> String {
            "e\(end.box):" + (end.row.map { "r\($0)" } ?? "head")
        }
        let marks = "arrowtail=\(arrow(line.startMark)), arrowhead=\(arrow(line.endMark))"
        return "    \(port(line.start)) -> \(port(line.end)) [\(marks)];"
    }

    private func arrow(_ mark: Mark) -> String {
        switch mark {
        case .one: "tee"
        case .many: "crow"
        case .arrow: "vee"
        case .triangle: "empty"
        case .none: "none"
        }
    }

    /// Escapes characters that have a special meaning in a record label.
    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            if character == "\n" {
                result += " "
            } else {
                if "\\\"{}|<> ".contains(character) { result += "\\" }
                result.append(character)
            }
        }
        return result
    }
}
