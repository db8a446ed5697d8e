import Foundation

/// A drawing made of SVG elements. Sizes are in the drawing's own units, which are pixels if the page is wide
/// enough.
struct SVG {
    private let width: Double
    private let height: Double
    private let label: String
    private var elements: [String] = []

    /// Creates an empty drawing.
    ///
    /// - Parameter label: A description of the drawing for people who cannot see it.
    init(width: Double, height: Double, label: String) {
        self.width = width
        self.height = height
        self.label = label
    }

    /// The horizontal alignment of a text.
    enum Anchor: String {
        case start, middle, end
    }

    mutating func text(
        _ text: String, x: Double, y: Double, anchor: Anchor = .start, style: String = ""
    ) {
        elements.append(
            """
            <text x="\(x.short)" y="\(y.short)" text-anchor="\(anchor.rawValue)" \
            class="\(style)">\(text.escaped)</text>
            """)
    }

    mutating func line(
        x1: Double, y1: Double, x2: Double, y2: Double, style: String
    ) {
        elements.append(
            """
            <line x1="\(x1.short)" y1="\(y1.short)" x2="\(x2.short)" y2="\(y2.short)" \
            class="\(style)"/>
            """)
    }

    mutating func circle(x: Double, y: Double, radius: Double, style: String, title: String = "") {
        let tip = title.isEmpty ? "" : "<title>\(title.escaped)</title>"
        elements.append(
            """
            <circle cx="\(x.short)" cy="\(y.short)" r="\(radius.short)" \
            class="\(style)">\(tip)</circle>
            """)
    }

    mutating func path(_ points: [(x: Double, y: Double)], style: String) {
        let steps = points.map { "\($0.x.short),\($0.y.short)" }.joined(separator: " ")
        elements.append("<polyline points=\"\(steps)\" class=\"\(style)\"/>")
    }

    /// The SVG element, which shrinks with the page but does not grow beyond the drawn size.
    var element: String {
        """
        <svg viewBox="0 0 \(width.short) \(height.short)" role="img" \
        aria-label="\(label.escaped)" style="max-width:\(width.short)px">
        \(elements.joined(separator: "\n"))
        </svg>
        """
    }
}

extension Double {
    /// The number with at most one decimal.
    var short: String {
        let text = String(format: "%.1f", self)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
