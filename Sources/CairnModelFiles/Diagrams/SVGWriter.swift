import CairnModel
import Foundation

/// Writes a diagram with a layout as SVG.
struct SVGWriter {
    private typealias Metrics = DiagramBox.Metrics

    private let graph: DiagramGraph
    private let layout: DiagramLayout
    private let theme: ModelDiagram.Theme
    private var parts: [String] = []
    /// The number of loops at the side of each column. It is used to keep loops from overlapping.
    private var loopCounts: [String: Int] = [:]

    init(_ graph: DiagramGraph, _ layout: DiagramLayout, theme: ModelDiagram.Theme) {
        self.graph = graph
        self.layout = layout
        self.theme = theme
    }

    mutating func text() -> String {
        let size = "\(number(layout.width)) \(number(layout.height))"
        parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size)\""
                + " width=\"\(number(layout.width))\" height=\"\(number(layout.height))\" role=\"img\">",
            "<title>Entities and relationships</title>",
            "<style>\(style)</style>",
            "<rect class=\"page\" width=\"100%\" height=\"100%\"/>",
        ]
        for line in graph.lines { add(line) }
        for (box, frame) in zip(graph.boxes, layout.frames) { add(box, frame) }
        parts.append("</svg>")
        return parts.joined(separator: "\n") + "\n"
    }

    // MARK: Boxes

    private mutating func add(_ box: DiagramBox, _ frame: DiagramLayout.Frame) {
        let (x, y) = (frame.x, frame.y)
        let (width, height) = (number(frame.width), number(frame.height))
        parts.append(
            "<rect class=\"box\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(width)\""
                + " height=\"\(height)\" rx=\"5\"/>")
        let head = number(y + Metrics.headHeight)
        if !box.rows.isEmpty {
            parts.append(
                "<path class=\"rule\" d=\"M\(number(x)) \(head)h\(width)\"/>")
        }
        parts.append(
            text(
                box.title, box.isAbstract ? "name abstract" : "name", x + Metrics.padding,
                y + Metrics.headHeight - 8.5))
        for (index, row) in box.rows.enumerated() {
            let base = y + box.offset(ofRow: index) + 4
            let kind = row.isRelationship ? "relationship" : "attribute"
            parts.append(text(row.name, kind, x + Metrics.padding, base))
            parts.append(
                text(row.detail, "detail", x + frame.width - Metrics.padding, base, isAtEnd: true))
        }
    }

    private func text(
        _ text: String, _ kind: String, _ x: Double, _ y: Double, isAtEnd: Bool = false
    ) -> String {
        let anchor = isAtEnd ? " text-anchor=\"end\"" : ""
        return "<text class=\"\(kind)\" x=\"\(number(x))\" y=\"\(number(y))\"\(anchor)>"
            + text.xmlEscaped + "</text>"
    }

    // MARK: Lines

    /// The point at which a line meets a box, and its direction from there: 1 for right, -1 for left.
    private struct Port {
        var x: Double
        var y: Double
        var direction: Double
    }

    private mutating func add(_ line: DiagramGraph.Line) {
        let (from, to) = (layout.frames[line.start.box], layout.frames[line.end.box])
        var start = port(line.start, isRight: from.column <= to.column)
        var end = port(line.end, isRight: to.column <= from.column)
        let kind = line.endMark == .triangle ? "parent" : "line"
        if from.column == to.column {
            // The line of a relationship that is its own inverse starts and ends at the same row.
            if start.y == end.y {
                start.y -= 5
                end.y += 5
            }
            let key = "\(from.part).\(from.column)"
            let count = loopCounts[key, default: 0]
            loopCounts[key] = count + 1
            let reach = start.x + 26 + Double(count % 5) * 7
            parts.append(
                "<path class=\"\(kind)\" d=\"M\(point(start.x, start.y))"
                    + "H\(number(start.x + 12))C\(point(reach + 8, start.y)) \(point(reach + 8, end.y))"
                    + " \(point(end.x + 12, end.y))H\(number(end.x))\"/>")
        } else {
            let path = path(from: start, in: from.column, to: end, in: to.column, part: from.part)
            parts.append("<path class=\"\(kind)\" d=\"\(path)\"/>")
        }
        add(line.startMark, at: start)
        add(line.endMark, at: end)
    }

    /// Returns a path between boxes of two columns: a curve between each pair of neighbouring columns, and a straight
    /// line past each column between the two.
    private func path(
        from start: Port, in first: Int, to end: Port, in last: Int, part: Int
    ) -> String {
        let step = first < last ? 1 : -1
        var (x, y) = (start.x + 12 * start.direction, start.y)
        var path = "M\(point(start.x, start.y))H\(number(x))"
        func curve(to nextX: Double, _ nextY: Double) {
            let middle = (x + nextX) / 2
            path +=
                "C\(point(middle, y)) \(point(middle, nextY)) \(point(nextX, nextY))"
            (x, y) = (nextX, nextY)
        }
        for column in stride(from: first + step, to: last, by: step) {
            // As far between the ends as the column is between their columns.
            let share = Double(column - first) / Double(last - first)
            let passage = layout.passage(
                ofColumn: column, part: part, near: start.y + (end.y - start.y) * share)
            let (near, far) =
                step > 0 ? (passage.left, passage.right) : (passage.right, passage.left)
            curve(to: near, passage.y)
            x = far
            path += "H\(number(x))"
        }
        curve(to: end.x + 12 * end.direction, end.y)
        return path + "H\(number(end.x))"
    }

    private func port(_ end: DiagramGraph.End, isRight: Bool) -> Port {
        let frame = layout.frames[end.box]
        return Port(
            x: isRight ? frame.x + frame.width : frame.x,
            y: frame.y + graph.boxes[end.box].offset(ofRow: end.row), direction: isRight ? 1 : -1)
    }

    private mutating func add(_ mark: DiagramGraph.Mark, at port: Port) {
        let (x, y, out) = (port.x, port.y, port.x + 9 * port.direction)
        switch mark {
        case .none: break
        case .one:
            let bar = port.x + 6 * port.direction
            parts.append("<path class=\"line\" d=\"M\(point(bar, y - 4))V\(number(y + 4))\"/>")
        case .many:
            parts.append(
                "<path class=\"line\" d=\"M\(point(x, y - 5))L\(point(out, y))"
                    + "L\(point(x, y + 5))\"/>")
        case .arrow:
            parts.append(
                "<path class=\"line\" d=\"M\(point(out, y - 4))L\(point(x, y))"
                    + "L\(point(out, y + 4))\"/>")
        case .triangle:
            parts.append(
                "<path class=\"triangle\" d=\"M\(point(x, y))L\(point(out, y - 5))"
                    + "V\(number(y + 5))Z\"/>")
        }
    }

    // MARK: Numbers

    private func point(_ x: Double, _ y: Double) -> String { "\(number(x)) \(number(y))" }

    /// Returns a number with one decimal digit, which is enough for screens and for print.
    private func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded()
        return tenths.truncatingRemainder(dividingBy: 10) == 0
            ? String(Int(tenths / 10)) : String(tenths / 10)
    }
}

extension SVGWriter {
    /// The colours and fonts.
    private var style: String {
        switch theme {
        case .light: Self.shapes + Self.light
        case .dark: Self.shapes + Self.dark
        case .automatic:
            Self.shapes + Self.light
                + "@media screen and (prefers-color-scheme:dark){\(Self.dark)}"
        }
    }

    private static let shapes =
        "text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
        + ".name{font-weight:bold}.abstract{font-style:italic}"
        + ".line,.parent,.rule{fill:none;stroke-width:1.2}.parent{stroke-dasharray:5 3}"
        + ".triangle{stroke-width:1.2}.box{stroke-width:1.2}"

    /// In both themes, the contrast between text and background is at least 4.5 to 1.
    private static let light =
        ".page{fill:#fff}.box{fill:#f6f7f9;stroke:#5b6470}.rule{stroke:#c3c9d1}"
        + ".name{fill:#11151a}.attribute{fill:#22282f}.relationship{fill:#0b4f9e}"
        + ".detail{fill:#59616b}.line{stroke:#0b4f9e}.parent{stroke:#5b6470}"
        + ".triangle{fill:#fff;stroke:#5b6470}"

    private static let dark =
        ".page{fill:#15181c}.box{fill:#20252b;stroke:#8b95a1}.rule{stroke:#434b55}"
        + ".name{fill:#f2f4f7}.attribute{fill:#dde2e8}.relationship{fill:#8cc0ff}"
        + ".detail{fill:#a6afba}.line{stroke:#8cc0ff}.parent{stroke:#a6afba}"
        + ".triangle{fill:#15181c;stroke:#a6afba}"
}
